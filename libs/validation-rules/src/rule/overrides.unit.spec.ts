import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import { HOST_RULES } from '../host/host-rules.table';
import {
  checkOverrides,
  ignorableRules,
  isIgnored,
  NEVER_IGNORABLE_CLUSTER_RULES,
  NEVER_IGNORABLE_HOST_RULES,
} from './overrides';

const NOTHING = { unknown: [], neverIgnorable: [] };

describe('rules that can be ignored', () => {
  it('are all except those of assisted-service v2', () => {
    expect([...NEVER_IGNORABLE_HOST_RULES].sort()).toEqual([
      'connected',
      'has-inventory',
      'hostname-unique',
      'hostname-valid',
      'inventory-not-fully-truncated',
      'machine-cidr-defined',
    ]);
    expect([...NEVER_IGNORABLE_CLUSTER_RULES].sort()).toEqual([
      'all-hosts-are-ready-to-install',
      'api-vips-defined',
      'ingress-vips-defined',
      'pull-secret-set',
      'sufficient-masters-count',
    ]);
  });

  it('are all rules except those that block permanently', () => {
    for (const { id } of HOST_RULES)
      expect(checkOverrides('host', [id]).neverIgnorable).toEqual(NEVER_IGNORABLE_HOST_RULES.includes(id) ? [id] : []);
    for (const { id } of CLUSTER_RULES)
      expect(checkOverrides('cluster', [id]).neverIgnorable).toEqual(
        NEVER_IGNORABLE_CLUSTER_RULES.includes(id) ? [id] : [],
      );
    expect(
      checkOverrides(
        'host',
        HOST_RULES.map(({ id }) => id),
      ).unknown,
    ).toEqual([]);
    expect(
      checkOverrides(
        'cluster',
        CLUSTER_RULES.map(({ id }) => id),
      ).unknown,
    ).toEqual([]);
  });

  it('are all selected by `all`', () => {
    expect(checkOverrides('host', ['all'])).toEqual(NOTHING);
    expect(checkOverrides('cluster', ['all', 'platform-requirements-satisfied'])).toEqual(NOTHING);
    expect(isIgnored('connected', ['all'], NEVER_IGNORABLE_HOST_RULES)).toBe(false);
    expect(checkOverrides('host', ['ALL']).unknown).toEqual(['ALL']);
  });

  it('is listed for hosts and clusters separately, each id once', () => {
    expect(checkOverrides('cluster', ['ntp-synced', 'toString', 'ntp-synced'])).toEqual({
      unknown: ['ntp-synced', 'toString'],
      neverIgnorable: [],
    });
    expect(checkOverrides('host', ['connected', 'ntp-synced', 'hostname-valid'])).toEqual({
      unknown: [],
      neverIgnorable: ['connected', 'hostname-valid'],
    });
  });

  it('are listed', () => {
    expect(checkOverrides('host', ignorableRules('host'))).toEqual(NOTHING);
    expect(ignorableRules('cluster')).toContain('ntp-server-configured');
    expect(ignorableRules('cluster')).not.toContain('pull-secret-set');
  });
});
