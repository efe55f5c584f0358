// MUSTER_PROPERTY_RUNS=2000 npm test: every property is tried that many times, to find what a hundred tries miss.
// MUSTER_PROPERTY_SEED=1 npm test: the same tries each time, so that a change is compared with the same tries.
const fc = require('fast-check');

const { MUSTER_PROPERTY_RUNS: runs, MUSTER_PROPERTY_SEED: seed } = process.env;
fc.configureGlobal({ ...(runs && { numRuns: Number(runs) }), ...(seed && { seed: Number(seed) }) });
