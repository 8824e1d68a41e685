#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Validates a description of OpenAPI, and prints whether it has more than 50 paths."""

import json
import sys

import openapi_spec_validator

with open(sys.argv[1]) as file:
    document = json.load(file)
openapi_spec_validator.validate(document)
print(len(document["paths"]) > 50)
