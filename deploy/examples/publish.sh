#!/usr/bin/env bash
# Publishes a heart rate of now with mosquitto_pub (MQTT 5) and waits for the receipt that says it is stored.
#
#   deploy/examples/publish.sh [PARTICIPANT [DEVICE [VALUE]]]      VIGIL_BROKER_PORT is the broker's port, 1883 by default
set -euo pipefail
participant="${1:-12}" device="${2:-example}" value="${3:-72}"
answers="vigil/v1/receipts/$participant/$device" port="${VIGIL_BROKER_PORT:-1883}"

mosquitto_sub -p "$port" -V 5 -q 1 -t "$answers" -C 1 -W 10 &
listener=$!
sleep 0.5 # mosquitto_sub does not say when it is subscribed
mosquitto_pub -p "$port" -V 5 -q 1 -t "vigil/v1/ingest/$participant/$device" \
    -D publish content-type application/vnd.vigil.observations+json \
    -D publish response-topic "$answers" -D publish correlation-data "$$" \
    -m "{\"metric\": \"heart-rate\", \"time\": $(date +%s.%6N), \"value\": $value, \"unit\": \"/min\"}"
wait "$listener"
