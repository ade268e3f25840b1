#!/usr/bin/env python3
"""Publishes a heart rate every second with Eclipse Paho 2 (apt install python3-paho-mqtt, or pip install paho-mqtt).

    publish.py [PARTICIPANT [DEVICE]]

Each reading asks for a receipt and is printed once it is stored.
"""
import json
import sys
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

participant, device = (sys.argv[1:] + ["12", "paho"][len(sys.argv) - 1:])[:2]
answers = f"vigil/v1/receipts/{participant}/{device}"


def receipt(_client, _userdata, message):
    number = int(message.properties.CorrelationData)
    print(f"reading {number}: {json.loads(message.payload)}")


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
client.on_connect = lambda client, *_: client.subscribe(answers, qos=1)
client.on_message = receipt
client.connect("127.0.0.1", 1883)
client.loop_start()
for number in range(10):
    properties = Properties(PacketTypes.PUBLISH)
    properties.ContentType = "application/vnd.vigil.observations+json"
    properties.ResponseTopic = answers
    properties.CorrelationData = str(number).encode()
    reading = {"metric": "heart-rate", "time": time.time(), "value": 70 + number, "unit": "/min"}
    client.publish(f"vigil/v1/ingest/{participant}/{device}", json.dumps(reading), qos=1, properties=properties)
    time.sleep(1)
client.loop_stop()
client.disconnect()
