import Alerting
import ServiceKit
