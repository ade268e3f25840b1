# shellcheck shell=bash
# What deploy/test-compose is made of. Sourced, never run.
# Variables pass between the two.
# shellcheck disable=SC2034,SC2154

services=(broker database timeline stress modules alert ingest import dashboard)
passed=0

# choose_engine finds a Docker engine, its compose command and the base images, or says in words what is missing.
choose_engine() {
    skip() { echo "deploy/test-compose: SKIPPED, nothing was tried: $*"; return 1; }
    docker info >/dev/null 2>&1 || { skip "no Docker engine answers here (docker info)"; return 1; }
    compose_command || { skip "neither docker-compose nor docker compose is installed"; return 1; }
    local image
    for image in debian:bookworm-slim swift:6.3-bookworm postgres:15-bookworm eclipse-mosquitto:2; do
        docker image inspect "$image" >/dev/null 2>&1 || docker pull -q "$image" >/dev/null 2>&1 || { skip "the image $image cannot be had"; return 1; }
    done
}

# begin prepares the deployment's own folder, names and ports, and its removal.
begin() {
    work=$(mktemp -d)
    chmod 755 "$work"
    # The classic builder is what every engine has.
    export DOCKER_BUILDKIT=${DOCKER_BUILDKIT:-0} COMPOSE_PROJECT_NAME=vigil-test VIGIL_SECRETS=$work/secrets VIGIL_TAG=${VIGIL_TAG:-test}
    export VIGIL_MQTT_PORT=${VIGIL_MQTT_PORT:-$(free_port 18883)} VIGIL_WEBSOCKET_PORT=${VIGIL_WEBSOCKET_PORT:-$(free_port 19883)}
    export VIGIL_CERTIFICATE_PORT=${VIGIL_CERTIFICATE_PORT:-$(free_port 20883)} VIGIL_DASHBOARD_PORT=${VIGIL_DASHBOARD_PORT:-$(free_port 21883)}
    export VIGIL_INGEST_PORT=${VIGIL_INGEST_PORT:-$(free_port 22883)} VIGIL_MAPPINGS=$VIGIL_SECRETS/mappings
    outside=(-h localhost -p "$VIGIL_MQTT_PORT" --cafile "$VIGIL_SECRETS/tls/ca.crt" -V 5)
    certified=(-h localhost -p "$VIGIL_CERTIFICATE_PORT" --cafile "$VIGIL_SECRETS/tls/ca.crt" -V 5
        --cert "$VIGIL_SECRETS/tls/clients/anna-scale.crt" --key "$VIGIL_SECRETS/tls/clients/anna-scale.key")
    trap finish EXIT
}

# free_port FIRST prints the first port from there on that nobody listens on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    echo "$port"
}

finish() {
    local code=$? listener
    for listener in "$work"/listener-*; do [ ! -e "$listener" ] || kill "$(cat "$listener")" 2>/dev/null || true; done
    if [ "$code" != 0 ] && [ -e "$work/up" ]; then docker_compose logs --tail 15 2>&1 || true; fi
    docker_compose --profile demo down --volumes --remove-orphans >/dev/null 2>&1 || true
    if [ -d "$work/vault" ]; then deploy/init --close "$work/vault" >/dev/null || true; fi
    rm -rf "$work"
}

docker_compose() { "${compose[@]}" "$@" </dev/null; }

# ok WHAT COMMAND... must succeed.
ok() {
    local what=$1
    shift
    "$@" >"$work/output" 2>&1 || { cat "$work/output"; fail "FAILED: $what"; }
    echo "ok  $what"
    passed=$((passed + 1))
}

# refused WHAT COMMAND... must not succeed; what it says is in $work/refusal.
refused() {
    local what=$1
    shift
    if "$@" >"$work/refusal" 2>&1; then cat "$work/refusal"; fail "FAILED, was possible: $what"; fi
    echo "ok  refused: $what"
    passed=$((passed + 1))
}

id_of() { docker_compose ps -q "$1"; }
started_at() { docker inspect -f '{{.State.StartedAt}}' "$(id_of "$1")"; }
healthy() { for name in "$@"; do [ "$(docker inspect -f '{{.State.Health.Status}}' "$(id_of "$name")")" = healthy ] || return 1; done; }
restarted() { [ "$(docker inspect -f '{{.RestartCount}}' "$(id_of "$1")")" -ge 1 ] && healthy "$1"; }

# start_time SERVICE prints the milliseconds from the container's start to the line of its log that shows that it serves; the broker
# says nothing before its first client, a health check every five seconds.
start_time() {
    local begun ready sign='"message":"running"|ready to accept connections'
    [ "$1" != broker ] || sign='New client connected'
    begun=$(date -d "$(started_at "$1")" +%s%3N)
    ready=$(docker logs --timestamps "$(id_of "$1")" 2>&1 | grep -aE "$sign" | if [ "$1" = broker ]; then sed -n 1p; else tail -n 1; fi)
    echo $(($(date -d "${ready%% *}" +%s%3N) - begun))
}

# as_account ACCOUNT COMMAND... runs the operator's tool from outside, as that account, through TLS.
as_account() {
    docker run --rm --interactive --network host --env VIGIL_CONNECT_WITHIN=60s --user "$(id -u):$(id -g)" -v "$VIGIL_SECRETS/tls/ca.crt:/ca.crt:ro" -v "$work:/work" \
        "vigil:$VIGIL_TAG" "${@:2}" --broker-host localhost --broker-port "$VIGIL_MQTT_PORT" --broker-ca-file /ca.crt \
        --broker-user "$1" --broker-password-file "/work/$1"
}
# publish_of PARTICIPANT METRIC VALUE [OPTION...], as the participant's watch, and waits until it is stored.
publish_of() {
    local kind=--value
    [ "$2" != note ] || kind=--text
    as_account "$1-watch" publish --participant "$1" --device "$1-watch" --metric "$2" "$kind" "$3" --receipt --receipt-within 60s "${@:4}"
}
publish() { publish_of anna "$@"; }

# in_volume NAME WORD: some file of the service's volume holds it, deleted pages and logs of databases included.
in_volume() { docker run --rm -v "${COMPOSE_PROJECT_NAME}_$1:/volume:ro" --entrypoint grep debian:bookworm-slim -rlaF "$2" /volume; }
# grep ends with 1 where it found nothing, with more where it could not look.
not_in_volume() { local code=0; in_volume "$@" || code=$?; [ "$code" = 1 ]; }

# reading METRIC VALUE prints a reading of now.
reading() { printf '{"metric": "%s", "time": %s, "value": %s}' "$1" "$(date +%s.%N)" "$2"; }
# readings COUNT prints as many lines with a reading each, a millisecond apart.
readings() {
    local second number
    second=$(date +%s)
    for ((number = 0; number < $1; number++)); do printf '{"metric": "heart-rate", "time": %s.%03d, "value": 60}\n' "$second" "$number"; done
}

# posts PARTICIPANT/DEVICE TOKEN PAYLOAD sends it over HTTPS; false where it is refused.
posts() {
    curl --silent --show-error --fail --max-time 40 --cacert "$VIGIL_SECRETS/tls/ca.crt" -H "Authorization: Bearer $2" -H 'Content-Type: application/json' \
        --data "$3" "https://localhost:$VIGIL_INGEST_PORT/ingest/$1"
}

# listen ACCOUNT FILTER... keeps a subscriber in the background, whose topics are lines of $work/heard-ACCOUNT; returns once it is subscribed.
listen() {
    local account=$1 filter filters=()
    shift
    for filter in "$@"; do filters+=(-t "$filter"); done
    deafen "$account"
    stdbuf -oL mosquitto_sub "${outside[@]}" -u "$account" -P "$(cat "$work/$account")" "${filters[@]}" -q 1 -F %t -d >"$work/heard-$account" 2>&1 &
    echo $! >"$work/listener-$account"
    disown
    within 10 grep -q SUBACK "$work/heard-$account"
}
# connects ACCOUNT tells whether the broker lets it in.
connects() { mosquitto_sub "${outside[@]}" -u "$1" -P "$(cat "$work/$1")" -t vigil/v1/alerts/none/none -E; }
listens() { kill -0 "$(cat "$work/listener-$1")"; }
deafen() {
    if [ -e "$work/listener-$1" ]; then kill "$(cat "$work/listener-$1")" 2>/dev/null || true; fi
    rm -f "$work/listener-$1"
}
# heard ACCOUNT TOPIC tells whether it has; an account without a topic, whether it heard anything.
heard() { grep -q "^vigil/v1/${2:-}" "$work/heard-$1"; }
deaf() { ! heard "$1"; }
# ended ACCOUNT: the broker has closed the subscriber's connection and does not take it back.
ended() { [ "$(grep -c 'received CONNACK (0)' "$work/heard-$1")" = "$connected" ] && grep -qE 'received CONNACK \((5|135)\)|[Nn]ot authori' "$work/heard-$1"; }

# websocket ACCOUNT PAYLOAD publishes it over WebSockets, with another's client identifier, which the broker does not care about.
websocket() {
    /usr/bin/python3 - "$VIGIL_WEBSOCKET_PORT" "$VIGIL_SECRETS/tls/ca.crt" "$1" "$(cat "$work/$1")" "vigil/v1/ingest/anna/$1" "$2" <<'P'
import sys
import paho.mqtt.client as mqtt

port, authority, account, password, topic, payload = sys.argv[1:]
answers = []
client = mqtt.Client(client_id="somebody-else", transport="websockets", protocol=mqtt.MQTTv5)
client.username_pw_set(account, password)
client.tls_set(authority)
client.on_connect = lambda client, data, flags, code, properties: answers.append(code) or client.publish(topic, payload, 1)
client.on_publish = lambda client, data, message: client.disconnect()
client.connect("localhost", int(port))
client.loop_forever()
sys.exit(0 if answers == [0] else str(answers))
P
}

# handshake PORT OPTIONS... tells whether the broker completes a TLS handshake.
handshake() {
    local port=$1
    shift
    openssl s_client -connect "localhost:$port" -cert "$VIGIL_SECRETS/tls/clients/anna-scale.crt" \
        -key "$VIGIL_SECRETS/tls/clients/anna-scale.key" -CAfile "$VIGIL_SECRETS/tls/ca.crt" -verify_return_error "$@" </dev/null
}

# keeps_connection: an account that names another's client identifier leaves that one's connection alone.
keeps_connection() {
    listen anna-watch 'vigil/v1/receipts/anna/anna-watch'
    mosquitto_sub "${outside[@]}" -u ben-watch -P "$(cat "$work/ben-watch")" -i anna-watch -t none -W 2 || true
    listens anna-watch && [ "$(grep -c 'received CONNACK' "$work/heard-anna-watch")" = 1 ]
    local code=$?
    deafen anna-watch
    return $code
}

# matrix: every role with every operation, about the own and a foreign participant; what is allowed and refused must equal deploy/roles.json5.
matrix() {
    /usr/bin/python3 - "$VIGIL_MQTT_PORT" "$VIGIL_SECRETS/tls/ca.crt" "$work" <<'P'
import json, pathlib, re, sys, time
import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

port, authority, work = sys.argv[1:]
text = re.sub(r"//[^\n]*", "", pathlib.Path("deploy/roles.json5").read_text())
text = re.sub(r"([{,]\s*)([a-z]+):", r'\1"\2":', text)
roles = json.loads(re.sub(r",(\s*[}\]])", r"\1", text))["roles"]
people = {"device": "anna-watch", "subscriber": "anna-screen", "patient": "anna-self", "carer": "anna-carer", "analyst": "anna-analyst"}
wrong, rows = [], []
for role, account in people.items():
    answers = {}
    client = mqtt.Client(protocol=mqtt.MQTTv5)
    client.username_pw_set(account, pathlib.Path(work, account).read_text().strip())
    client.tls_set(authority)
    client.on_message = lambda client, data, message: answers.__setitem__(message.properties.CorrelationData.decode(), message.payload.decode())
    client.connect("localhost", int(port))
    client.subscribe(f"vigil/v1/responses/{account}/#", 1)
    client.loop_start()
    time.sleep(0.5)
    asked = []
    for service in ("timeline", "alert", "stress", "ingest", "modules", "dashboard", "import"):
        for operation in roles["operator"][service]:
            for participant in ("anna", "ben"):
                properties = Properties(PacketTypes.PUBLISH)
                properties.ResponseTopic, mark = f"vigil/v1/responses/{account}/m", f"{len(asked)}"
                properties.CorrelationData = mark.encode()
                field = "query" if service == "timeline" else "command"
                request = {field: operation, "participant": participant, "reason": "x", "duration": "1h", "id": "none"}
                client.publish(f"vigil/v1/requests/{account}/{service}", json.dumps(request), 1, properties=properties)
                asked.append((service, operation, participant, mark))
    end = time.time() + 60
    while len(answers) < len(asked) and time.time() < end:
        time.sleep(0.1)
    client.loop_stop()
    for service, operation, participant, mark in asked:
        own = participant == "anna" or operation in ("rules", "reload", "notify-test")
        expected = operation in roles[role].get(service, []) and own
        answer = answers.get(mark)
        allowed = answer is not None and "may not ask" not in answer
        if answer is None or allowed != expected:
            wrong.append(f"{role} {service} {operation} {participant}: {answer}")
    allowed = sum("may not ask" not in answer for answer in answers.values())
    rows.append(f"{role:10} {len(asked):4} asked {allowed:4} allowed {len(answers) - allowed:4} refused")
print("\n".join(rows))
pathlib.Path(work, "matrix").write_text("\n".join(rows) + "\n")
sys.exit("\n".join(wrong) or 0)
P
}

# at_service_port ACCOUNT tells whether the broker lets it in where the services come in.
at_service_port() {
    docker run --rm --network "${COMPOSE_PROJECT_NAME}_bus" -v "$VIGIL_SECRETS/tls/ca.crt:/ca.crt:ro" --entrypoint mosquitto_sub eclipse-mosquitto:2 \
        -h broker -p 8885 --cafile /ca.crt -u "$1" -P "$2" -t vigil/v1/alerts/none/none -E
}

# finished PROCESS LOG waits for a background process to end well, for two minutes at most.
finished() {
    local end=$((SECONDS + 120))
    while kill -0 "$1" 2>/dev/null; do [ $SECONDS -lt $end ] || { kill "$1"; break; }; sleep 0.2; done
    wait "$1" || { cat "$2"; return 1; }
}

# sql DATABASE ROLE QUERY, as administrator or an analyst, within the database's container.
sql() { docker_compose exec -T database psql -XAtq -U "$2" -d "$1" -c "$3"; }
answers() { [ "$(sql "$1" postgres "$3")" = "$2" ]; }
stored() { sql vigil postgres "SELECT count(*) FROM readings WHERE source = 'anna-watch'"; }
counted() { [ "$(stored)" = "$1" ]; }
# The months that are over lie together, by the account that the service has in a deployment.
packed() { [ "$(sql vigil postgres "SELECT string_agg(name, ', ' ORDER BY name) FROM setting WHERE name LIKE 'packed %'")" = "packed day, packed hour, packed minute" ]; }
# over_network ROLE SSLMODE QUERY, over the network of the database with the role's password.
over_network() {
    docker run --rm --network "${COMPOSE_PROJECT_NAME}_data" -v "$VIGIL_SECRETS:/secrets:ro" --entrypoint sh postgres:15-bookworm -c \
        "PGPASSWORD=\$(cat /secrets/database/$1) psql -XAtq -v ON_ERROR_STOP=1 -c \"\$1\" 'host=database dbname=vigil user=vigil_$1 sslmode=$2 sslrootcert=/secrets/tls/ca.crt'" \
        sh "$3"
}
