// Publishes skin temperature every second from an ESP32 or an Arduino with Ethernet, with PubSubClient (MQTT 3.1.1, QoS 0).
//
// A board without a clock sends SenML without a time: Vigil stamps the reading on arrival.

#include <PubSubClient.h>
#include <WiFi.h>

const char *network = "…";
const char *password = "…";
const char *broker = "192.168.1.10";
const char *topic = "vigil/v1/ingest/12/esp32-1";
const int sensorPin = 34;

WiFiClient connection;
PubSubClient client(connection);

void connectAll() {
  while (WiFi.status() != WL_CONNECTED) {
    delay(500);
  }
  while (!client.connected()) {
    // The same client identifier each time: the broker then ends a connection that was left half open.
    if (!client.connect("esp32-1")) {
      delay(2000);
    }
  }
}

void setup() {
  WiFi.begin(network, password);
  client.setServer(broker, 1883);
}

void loop() {
  if (!client.connected()) {
    connectAll();
  }
  client.loop();

  // A TMP36 gives 500 mV at 0 °C and 10 mV more for each degree.
  float celsius = (analogReadMilliVolts(sensorPin) - 500) / 10.0;
  char payload[96];
  snprintf(payload, sizeof payload, "[{\"n\":\"skin-temperature\",\"u\":\"Cel\",\"v\":%.2f}]", celsius);
  client.publish(topic, payload);
  delay(1000);
}
