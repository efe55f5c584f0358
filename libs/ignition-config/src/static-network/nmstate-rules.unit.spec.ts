import { host, problemsOf } from './host-networks.fixture.spec';
import { ACCEPTED, ACCEPTED_IN_POLICIES, REFUSED, REFUSED_IN_POLICIES } from './nmstate-rules.fixture.spec';

describe('rules of nmstate', () => {
  it.each(REFUSED)('refuse %j in both forms: %s', (document, problem) => {
    for (const form of ['keyfiles', 'nmpolicy'] as const)
      expect(problemsOf(host(document, 'eth0', 'eth1'), form)).toEqual([expect.stringContaining(problem)]);
  });

  it.each(ACCEPTED)('accept %j in both forms', (document) => {
    for (const form of ['keyfiles', 'nmpolicy'] as const)
      expect(problemsOf(host(document, 'eth0', 'eth1'), form)).toEqual([]);
  });

  it.each(REFUSED_IN_POLICIES)('refuse %j as a policy: %s', (document, problem) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([expect.stringContaining(problem)]);
  });

  it.each(ACCEPTED_IN_POLICIES)('accept %j as a policy', (document) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([]);
  });
});
