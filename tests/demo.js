// A demo's runs and table in Node, for tests/app/test_live_demo.py, which puts the elements of a page and the demo's data before it.

import {createLedger} from "../assets/js/demo/ledger.js";
import {findInvariants} from "../assets/js/demo/measures.js";
import {Computation} from "../assets/js/demo/runs.js";
