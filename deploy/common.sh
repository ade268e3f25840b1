# shellcheck shell=bash
# What the scripts of this folder share. Sourced, never run; expects the top of the checkout as the working directory.

# Says what comes next, so that a long log can be found one's way in.
step() { printf '\n== %s\n' "$*"; }

# Ends the script with a line that says why.
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Sets the array `compose` to the command for docker-compose.yml: what COMPOSE says, docker-compose, or "docker compose".
compose_command() {
    if [ -n "${COMPOSE:-}" ]; then
        read -ra compose <<<"$COMPOSE"
    elif command -v docker-compose >/dev/null; then
        compose=(docker-compose)
    elif docker compose version >/dev/null 2>&1; then
        # shellcheck disable=SC2034 # for who sources this
        compose=(docker compose)
    else
        return 1
    fi
}

# within SECONDS COMMAND... succeeds as soon as the command does; where it never does, its last attempt says why.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then "$@" || return; return 0; fi
        sleep 0.3
    done
}

# Runs a command as root: as it is, or with sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "needs root or sudo for: $*"
    fi
}

# packages_for KIND... prints the packages of deploy/packages of these kinds, and for "build" the C libraries' of Package.swift.
packages_for() {
    awk -v kinds=" $* " '!/^#/ && NF && index(kinds, " " $1 " ") { print $2 }' deploy/packages
    case " $* " in *" build "*) sed -n 's/.*apt: "\([^"]*\)").*/\1/p' Package.swift ;; esac
}

# install_packages KIND... installs those of them that are missing.
install_packages() {
    command -v apt-get >/dev/null || fail "needs a Debian 12 with apt-get; elsewhere install what deploy/packages and Package.swift list"
    local wanted missing=() package
    wanted=$(packages_for "$@")
    for package in $wanted; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    step "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    # Wanted for its program alone: its service, which Debian starts, would take the suite's port.
    case " ${missing[*]} " in *" mosquitto "*) [ ! -d /run/systemd/system ] || as_root systemctl disable --now mosquitto ;; esac
}

# Ends the script in words where Swift is missing.
need_swift() {
    command -v swift >/dev/null || fail "needs Swift 6.2 or newer on PATH: https://www.swift.org/install/linux/debian/12"
}

# browser_python makes the browser tests' own Python, where it is not there yet, and prints its program.
browser_python() {
    local environment=.build/browser-tests
    if [ ! -x "$environment/bin/python" ]; then
        step "the tests' own Python, in $environment" >&2
        python3 -m venv "$environment"
        "$environment/bin/pip" -q install playwright axe-playwright-python >&2
    fi
    echo "$environment/bin/python"
}

# Any script of this folder that is asked for help prints what stands at its top, and does nothing else.
case ${1:-} in
    --help | -h)
        [ -e "$0" ] || cd "$OLDPWD" || exit
        sed -n '2,/^set/{/^#/!d;s/^# \{0,1\}//p}' "$0"
        exit
        ;;
esac
