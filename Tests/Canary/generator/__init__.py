# SPDX-License-Identifier: MIT
"""The generator of the canary test: records with a fresh secret each, and their classes."""
