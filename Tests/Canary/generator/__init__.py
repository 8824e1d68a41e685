# SPDX-License-Identifier: MIT
"""The generator of the canary test: records with one fresh secret each, and their classes."""
