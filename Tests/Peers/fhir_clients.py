#!/usr/bin/env python3
"""Two FHIR clients from PyPI, unchanged, against a running dashboard: what they read page by page must be the same.

    python3 -m venv /tmp/fhir && /tmp/fhir/bin/pip install fhirpy==2.3.1 fhirclient==4.4.0
    /tmp/fhir/bin/python Tests/Peers/fhir_clients.py http://127.0.0.1:8080/fhir/R4 TOKEN PATIENT
"""
import sys

from fhirclient.client import FHIRClient
from fhirclient.models.capabilitystatement import CapabilityStatement
from fhirclient.models.observation import Observation
from fhirclient.models.patient import Patient
from fhirpy import SyncFHIRClient
from fhirpy.base.exceptions import OperationOutcome, ResourceNotFound

base, token, patient = sys.argv[1:4]


def by_fhirpy():
    client = SyncFHIRClient(base, authorization=f"Bearer {token}")
    assert client.reference("Patient", patient).to_resource()["id"] == patient
    assert patient in [p["id"] for p in client.resources("Patient").fetch_all()]
    assert client.resources("Patient").search(_id=patient).first()["id"] == patient
    try:
        client.reference("Patient", "nobody").to_resource()
        raise AssertionError("a patient who is none was found")
    except ResourceNotFound:
        pass
    try:
        client.resources("Observation").search(patient=patient, date="yesterday").fetch()
        raise AssertionError("a date that is none was taken")
    except OperationOutcome:
        pass
    search = client.resources("Observation").search(patient=f"Patient/{patient}").sort("-date").limit(7)
    found = search.fetch_all()
    served = [r["type"] for r in client.execute("metadata", method="get")["rest"][0]["resource"]]
    for kind in sorted(set(served) - {"Patient", "Observation"}):
        print(f"  {kind:20}", len(client.resources(kind).search(patient=patient).fetch_all()))
    again = client.reference("Observation", found[0]["id"]).to_resource()
    assert again.serialize() == found[0].serialize()
    return [o["id"] for o in found]


def by_fhirclient():
    smart = FHIRClient(settings={"app_id": "vigil", "api_base": base})
    smart.server.session.headers["Authorization"] = f"Bearer {token}"
    assert CapabilityStatement.read_from("metadata", smart.server).fhirVersion == "4.0.1"
    assert Patient.read(patient, smart.server).id == patient
    search = Observation.where({"patient": patient, "_count": "11", "_sort": "-date"})
    return [o.id for o in search.perform_resources_iter(smart.server)]


first, second = by_fhirpy(), by_fhirclient()
assert first == second and len(set(first)) == len(first) > 0
print(f"  {len(first)} observations, the same by fhirpy and fhirclient")
