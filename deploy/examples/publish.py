#!/usr/bin/env python3
"""Publishes a heart rate every second with Eclipse Paho 2 (pip install paho-mqtt; Debian 12's package is an older one).

    publish.py [PARTICIPANT [DEVICE [COUNT]]]

Each reading asks for a receipt, which is printed once the reading is stored. The broker's port is VIGIL_BROKER_PORT, else 1883.
"""
import json
import os
import sys
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

participant, device, count = (sys.argv[1:] + ["12", "paho", "10"][len(sys.argv) - 1:])[:3]
answers = f"vigil/v1/receipts/{participant}/{device}"


waiting = set()


def receipt(_client, _userdata, message):
    number = int(message.properties.CorrelationData)
    print(f"reading {number}: {json.loads(message.payload)}")
    waiting.discard(number)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
client.on_connect = lambda client, *_: client.subscribe(answers, qos=1)
client.on_message = receipt
client.connect("127.0.0.1", int(os.environ.get("VIGIL_BROKER_PORT", "1883")))
client.loop_start()
for number in range(int(count)):
    properties = Properties(PacketTypes.PUBLISH)
    properties.ContentType = "application/vnd.vigil.observations+json"
    properties.ResponseTopic = answers
    properties.CorrelationData = str(number).encode()
    reading = {"metric": "heart-rate", "time": time.time(), "value": 70 + number, "unit": "/min"}
    waiting.add(number)
    client.publish(f"vigil/v1/ingest/{participant}/{device}", json.dumps(reading), qos=1, properties=properties)
    time.sleep(1)
deadline = time.time() + 20
while waiting and time.time() < deadline:
    time.sleep(0.1)
client.loop_stop()
client.disconnect()
if waiting:
    sys.exit(f"no receipt for {sorted(waiting)}")
