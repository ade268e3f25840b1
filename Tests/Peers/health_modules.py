#!/usr/bin/env python3
"""Second opinions on the health modules' formulas, by independent packages from PyPI.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install iglu-python pandas rcpchgrowth neurokit2
    /tmp/peers/bin/python Tests/Peers/health_modules.py

Prints, for inputs that the tests in Tests/HealthModulesTests build too, what the packages make of them. The tests hold the figures that stand here; a
package that is not installed is said and passed over. Nothing is written.
"""
import datetime
import importlib
import math


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"  {name} is not installed")
        return None


def glucose_curve():
    """Fourteen days every five minutes: GlucoseTests.curve."""
    values = []
    for index in range(14 * 288):
        hour = index / 12
        value = 135 + 40 * math.sin(2 * math.pi * hour / 8) + 28 * math.sin(2 * math.pi * hour / 24 + 1)
        value += 18 * math.sin(2 * math.pi * hour / 5.3) + 10 * math.sin(2 * math.pi * hour / 37)
        values.append(math.floor(value + 0.5))
    return values


def glucose():
    print("Glucose (iglu_python): GlucoseTests")
    iglu, pandas = package("iglu_python"), package("pandas")
    if not (iglu and pandas):
        return
    values = glucose_curve()
    start = datetime.datetime(2026, 1, 1)
    data = pandas.DataFrame(
        {"id": "p", "time": [start + datetime.timedelta(minutes=5 * i) for i in range(len(values))], "gl": [float(v) for v in values]}
    )
    for name in ("mean_glu", "sd_glu", "cv_glu", "gmi", "in_range_percent", "above_percent", "below_percent", "lbgi", "hbgi", "mage", "modd", "conga"):
        function = getattr(iglu, name, None)
        if function is None:
            continue
        try:
            frame = function(data)
            print(f"  {name:18}", {k: v for k, v in frame.iloc[0].to_dict().items() if k != "id"})
        except Exception as error:  # a peer's failure is worth a line, not the end
            print(f"  {name:18} failed: {error}")


def growth():
    print("Growth (rcpchgrowth, WHO 2006 and 2007): GrowthTests; age in years, sex, measure, value, z-score")
    rcpch = package("rcpchgrowth")
    if rcpch is None:
        return
    cases = [
        (389, "male", "weight", 10.5), (389, "male", "height", 76.2), (389, "male", "bmi", 18.083), (1670, "male", "weight", 17.2),
        (1460, "female", "height", 101.8), (828, "male", "bmi", 19.209), (156, "female", "weight", 6.5), (922, "female", "bmi", 19.718),
        (3000, "female", "height", 125.0), (3000, "male", "weight", 25.0), (5000, "male", "bmi", 19.0), (6000, "female", "bmi", 22.0),
    ]
    for days, sex, measure, value in cases:
        try:
            z = rcpch.sds_for_measurement("who", days / 365.25, measure, value, sex)
            print(f"  {days:5} d {sex:7} {measure:7} {value:8.3f} {z:7.3f}")
        except Exception as error:
            print(f"  {days:5} d {sex:7} {measure:7} {value:8.3f} failed: {error}")


def weight():
    print("Weight trend (pandas, ewm with alpha 0.1, adjust=False): WeightModelTests, log of The Hacker's Diet")
    pandas = package("pandas")
    if pandas:
        series = pandas.Series([173.6, 172.5, 171.5, 172, 171.5])
        print("  ", [round(v, 4) for v in series.ewm(alpha=0.1, adjust=False).mean()])


def training():
    print("Training load (pandas, ewm with span 7 and 28: Williams 2017 uses 2 / (days + 1)): TrainingTests")
    pandas = package("pandas")
    if pandas:
        print("  ", pandas.Series([100.0, 0.0]).ewm(span=7, adjust=False).mean().tolist(), "(Vigil begins at 0, pandas at the first value)")
    print("Training impulse by Morton's formula, by hand: 45 min at 150, rest 60, maximum 190, men and women")
    reserve = (150 - 60) / (190 - 60)
    print("  ", 45 * reserve * 0.64 * math.exp(1.92 * reserve), 45 * reserve * 0.86 * math.exp(1.67 * reserve))


def intervals():
    """Regular beats with an early one every twelfth, and a pause after it."""
    return [500.0 if i % 12 == 5 else 1100.0 if i % 12 == 6 else 800.0 + (i * 37 % 11) for i in range(300)]


def rhythm():
    print("Early beats (NeuroKit2, signal_fixpeaks, Kubios' method): intervals of RhythmTests")
    neurokit, numpy = package("neurokit2"), package("numpy")
    if not (neurokit and numpy):
        return
    peaks = numpy.round(numpy.cumsum([500.0] + intervals())).astype(int)
    artifacts, _ = neurokit.signal_fixpeaks(peaks, sampling_rate=1000, method="Kubios", iterative=False)
    print("  ", {name: len(artifacts[name]) for name in ("ectopic", "missed", "extra", "longshort")})


if __name__ == "__main__":
    for part in (glucose, growth, weight, training, rhythm):
        part()
