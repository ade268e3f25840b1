// Readings as a FHIR R4 Bundle, for whom a patient's record is kept elsewhere. The exact export, which Vigil can read back, is `vigil timeline export`.

/**
 * @param {string} id the participant
 * @param {{name: string, title: string, unit: string, system?: string, code?: string}} metric as the catalogue has it
 * @param {Array<object>} readings
 */
export function bundle(id, metric, readings) {
  const subject = { reference: `Patient/${id}` };
  const coding = metric.code ? [{ system: metric.system, code: metric.code, display: metric.title }] : undefined;
  const code = { coding, text: metric.title };
  return {
    resourceType: 'Bundle',
    type: 'collection',
    entry: [{ resource: { resourceType: 'Patient', id, identifier: [{ system: 'urn:vigil:participant', value: id }] } }, ...readings.map((reading) => ({ resource: observation(reading, metric, code, subject) }))],
  };
}

function observation(reading, metric, code, subject) {
  const start = instant(reading.time);
  const lasts = reading.period ?? 0;
  return {
    resourceType: 'Observation',
    status: 'final',
    code,
    subject,
    ...(lasts > 0 ? { effectivePeriod: { start, end: instant(reading.time + lasts) } } : { effectiveDateTime: start }),
    device: reading.source ? { display: reading.source } : undefined,
    ...(reading.text === undefined || reading.text === null ? { valueQuantity: { value: reading.value, unit: metric.unit, system: 'http://unitsofmeasure.org', code: metric.unit } } : { valueString: reading.text }),
  };
}

const instant = (seconds) => new Date(seconds * 1000).toISOString();
