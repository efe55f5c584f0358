import { sampleHost } from '../facts/sample.facts';
import { SUPPRESSED } from '../rule/rule';
import { evaluateHost, renderHostOutcome } from './host-rules.table';
import { NETWORK_CASES, peer } from './network-cases.fixture.spec';

describe('network rules', () => {
  it.each(NETWORK_CASES)('%s: %s', (id, _case, facts, status) => {
    const found = evaluateHost(facts).find((one) => one.id === id)?.status ?? SUPPRESSED;
    expect(found === SUPPRESSED ? 'none' : found).toBe(status);
  });

  it('list the hosts whose latency exceeds the limit', () => {
    const found = evaluateHost(sampleHost(peer('master', 250))).find(({ id }) => id.includes('latency'));
    expect(found && renderHostOutcome(found)).toMatchObject({ measured: 'node-2 250 ms', required: '100 ms' });
  });
});
