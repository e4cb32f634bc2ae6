"""Tests of the Python side: recordings, the launcher, the client, and MORSE's own harness."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "src"))
