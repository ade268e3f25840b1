"""The peer: the same stream into the same kind of table as someone who knows paho and psycopg well would write it.

Acknowledges by hand and only after the commit, takes what has come as one batch, copies it into a temporary table and inserts from there what is
new. Prints `ready=1`, and `end=` in nanoseconds of CLOCK_MONOTONIC once the expected number of rows is committed.
"""

import json
import queue
import sys
import time

import paho.mqtt.client as mqtt
import psycopg
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

TABLE = """
    CREATE TABLE peer_reading (
        time timestamptz NOT NULL, participant text NOT NULL, metric text NOT NULL, source text NOT NULL, seq integer NOT NULL,
        value double precision, received timestamptz NOT NULL, PRIMARY KEY (time, participant, metric, source, seq));
    CREATE TEMPORARY TABLE staging (LIKE peer_reading);
"""
INSERT = "INSERT INTO peer_reading SELECT DISTINCT ON (time, participant, metric, source, seq) * FROM staging ON CONFLICT DO NOTHING"


def rows(payload):
    for group in json.loads(payload)["groups"]:
        for one in group["observations"]:
            yield one["time"], group["participant"], one["metric"], group["source"], one.get("seq", 0), one["value"], group["received"]


def timestamp(seconds):
    # PostgreSQL's text form, without the cost of a datetime: copied as text.
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds)) + f"{seconds % 1:.6f}"[1:] + "+00"


def store(connection, messages):
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE staging")
        with cursor.copy("COPY staging FROM STDIN") as copy:
            for message in messages:
                for when, participant, metric, source, seq, value, received in rows(message.payload):
                    copy.write_row((timestamp(when), participant, metric, source, seq, value, timestamp(received)))
        cursor.execute(INSERT)
        return cursor.rowcount


def main(port, database, expected):
    waiting = queue.Queue()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="peer", protocol=mqtt.MQTTv5, manual_ack=True)
    client.on_message = lambda client, data, message: waiting.put(message)
    client.on_connect = lambda client, *rest: client.subscribe("vigil/v1/observations/+/readings", qos=1)
    client.on_subscribe = lambda *rest: print("ready=1", flush=True)
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 3600
    properties.ReceiveMaximum = 2000
    stored = 0
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(TABLE)
        client.connect("127.0.0.1", port, clean_start=False, properties=properties)
        client.loop_start()
        while stored < expected:
            batch = [waiting.get()]
            while len(batch) < 2000 and not waiting.empty():
                batch.append(waiting.get())
            stored += store(connection, batch)
            for message in batch:
                client.ack(message.mid, message.qos)
        print(f"end={time.clock_gettime_ns(time.CLOCK_MONOTONIC)}", flush=True)
        client.loop_stop()
        client.disconnect()


main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
