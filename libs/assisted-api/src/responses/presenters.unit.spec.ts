import { NO_REASON } from '@muster/domain';
import type { Outcome } from '@muster/validation-rules';
import type { ClusterDocument, EventDocument, HostDocument, InfraEnvDocument, OutcomeMap } from './documents';
import {
  presentCluster,
  presentClusterOutcomes,
  presentEvent,
  presentHost,
  presentHostOutcomes,
  presentInfraEnv,
  UNSET_TIME,
} from './presenters';

const kept = { _position: 7, user_name: 'alice', org_id: 'acme', email_domain: 'acme.example' };
const hostDocument = (changes: Partial<HostDocument> = {}): HostDocument => ({
  ...kept,
  kind: 'Host',
  id: 'h1',
  href: '/h1',
  infra_env_id: 'i1',
  status: 'known',
  _status_reason: NO_REASON,
  status_updated_at: UNSET_TIME,
  role: 'master',
  bootstrap: false,
  media_status: 'connected',
  progress: { stage_started_at: UNSET_TIME, stage_updated_at: UNSET_TIME },
  stage_started_at: UNSET_TIME,
  stage_updated_at: UNSET_TIME,
  connection_timed_out: false,
  created_at: UNSET_TIME,
  updated_at: UNSET_TIME,
  registered_at: UNSET_TIME,
  checked_in_at: UNSET_TIME,
  logs_info: '',
  logs_started_at: UNSET_TIME,
  logs_collected_at: UNSET_TIME,
  _host_key: 'i1.h1',
  _generation: 0,
  _outcomes: {},
  _networks: [],
  ...changes,
});
const clusterDocument = (changes: Partial<ClusterDocument> = {}): ClusterDocument =>
  ({
    ...kept,
    id: 'c1',
    kind: 'Cluster',
    _status_reason: NO_REASON,
    platform: { type: 'baremetal' },
    disk_encryption: {},
    hyperthreading: 'all',
    api_vips: [],
    machine_networks: [],
    service_networks: [],
    cluster_networks: [],
    monitored_operators: [],
    _outcomes: {},
    _worker_count: 0,
    ...changes,
  }) as unknown as ClusterDocument;

describe('validations_info', () => {
  const recorded = (id: string, status: string, ...parameters: string[]) => ({ [id]: { id, status, parameters } });
  interface Presented {
    readonly [category: string]: readonly { readonly id: string; readonly status: string; readonly message: string }[];
  }

  it('contains categories, sorted ids and rendered messages, and no suppressed outcome', () => {
    const outcomes = {
      ...recorded('ntp-synced', 'success', 'ntp.example.com'),
      ...recorded('has-min-cpu-cores', 'failure', '1', '2'),
      ...recorded('mtu-valid', 'success-suppress-output'),
    };
    const { network = [], hardware = [] } = JSON.parse(presentHostOutcomes(outcomes, true)) as Presented;
    expect(network).toContainEqual({
      id: 'ntp-synced',
      status: 'success',
      message: 'The host is synchronized with NTP source ntp.example.com',
    });
    expect(hardware).toContainEqual({
      id: 'has-min-cpu-cores',
      status: 'failure',
      message: 'The host has 1 CPU cores, at least 2 are required for any role',
    });
    const ids = network.map(({ id }) => id);
    expect(ids).not.toContain('mtu-valid');
    expect(ids).toEqual([...ids].sort());
  });

  it('contains the initial outcomes of rules without a recorded one', () => {
    const { hardware = [] } = JSON.parse(presentHostOutcomes({}, true)) as Presented;
    expect(hardware).toContainEqual({
      id: 'has-min-memory',
      status: 'pending',
      message: 'Waiting for the host to report its hardware',
    });
    const { configuration = [] } = JSON.parse(presentClusterOutcomes({})) as Presented;
    expect(configuration).toContainEqual({
      id: 'pull-secret-set',
      status: 'success',
      message: 'The pull secret is set',
    });
  });

  it('renders an outcome once, and again when an event replaces it', () => {
    let renders = 0;
    const counted = (available: string): Outcome => ({
      id: 'has-min-cpu-cores',
      status: 'failure',
      get parameters() {
        renders += 1;
        return [available, '2'];
      },
    });
    const messageOf = (outcomes: OutcomeMap): string | undefined => {
      const { hardware = [] } = JSON.parse(presentHostOutcomes(outcomes, true)) as Presented;
      return hardware.find(({ id }) => id === 'has-min-cpu-cores')?.message;
    };
    const outcomes = { 'has-min-cpu-cores': counted('1') };
    expect(messageOf(outcomes)).toContain('has 1 CPU cores');
    const rendersOfOne = renders;
    expect(messageOf({ ...outcomes, ...recorded('ntp-synced', 'success', 'ntp') })).toContain('has 1 CPU cores');
    expect(renders).toBe(rendersOfOne);
    expect(messageOf({ ...outcomes, 'has-min-cpu-cores': counted('0') })).toContain('has 0 CPU cores');
  });

  it('is one text for all hosts without a recorded outcome, and changes with the first recorded one', () => {
    const text = presentHostOutcomes({}, true);
    expect(presentHostOutcomes({}, true)).toBe(text);
    expect(presentHostOutcomes(recorded('ntp-synced', 'success', 'ntp.example.com'), true)).not.toBe(text);
    expect(presentHostOutcomes({}, true)).toBe(text);
  });

  it('omits rules for bound hosts while a host is not bound', () => {
    const info = JSON.parse(presentHostOutcomes({}, false)) as Presented;
    expect(info['operators']).toBeUndefined();
    expect(info['hardware']?.map(({ id }) => id)).not.toContain('hostname-unique');
  });
});

describe('optional members', () => {
  it('are absent while they have no value', () => {
    const cluster = presentCluster(clusterDocument());
    expect(cluster).toMatchObject({ org_soft_timeouts_enabled: true });
    expect(cluster).not.toHaveProperty('deleted_at');
    expect(cluster).not.toHaveProperty('ip_collisions');
    expect(presentCluster(clusterDocument({ imported: true }))).not.toHaveProperty('org_soft_timeouts_enabled');
    expect(presentHost(hostDocument())).not.toHaveProperty('deleted_at');
    expect(presentHost(hostDocument())).not.toHaveProperty('timestamp');
    expect(presentHost(hostDocument(), { timestamp: 5 })).toMatchObject({ timestamp: 5 });
  });

  it('contain the addresses with several machines that any host reported', () => {
    const { ip_collisions: text } = presentCluster(
      clusterDocument({
        _colliding_machines: { '10.0.0.2': { '03': 1, '01': 2, '02': 1 }, '10.0.0.1': { '01': 1 } },
      }),
    );
    expect(text).toBe('{"10.0.0.1":["01"],"10.0.0.2":["01","02","03"]}');
  });
});

describe('presentHost', () => {
  it('omits internal members and owners', () => {
    const host = presentHost(hostDocument({ _inventory_digest: 'sha256:0' }));
    expect(Object.keys(host).filter((member) => member.startsWith('_'))).toEqual([]);
    expect(host).not.toHaveProperty('org_id');
    expect(host.user_name).toBe('alice');
    expect(host.validations_info).toContain('has-inventory');
  });

  it('always has a name: the requested one, the reported one, or its id', () => {
    const named = { requested_hostname: 'given', _reported_hostname: 'reported' };
    expect(presentHost(hostDocument(named)).requested_hostname).toBe('given');
    expect(presentHost(hostDocument({ ...named, requested_hostname: '' })).requested_hostname).toBe('reported');
    const unknown = hostDocument({ requested_hostname: undefined, _reported_hostname: undefined });
    expect(presentHost(unknown).requested_hostname).toBe(unknown.id);
  });

  it('contains the loaded bodies and omits the others', () => {
    const host = presentHost(hostDocument(), { inventory: '{"hostname":"a"}' });
    expect(host.inventory).toBe('{"hostname":"a"}');
    expect(host).not.toHaveProperty('connectivity');
  });

  it.each([
    ['a master', {}, 3, 8],
    ['the bootstrap host', { bootstrap: true }, 3, 11],
    ['a single node', { bootstrap: true }, 1, 8],
    ['a worker', { role: 'worker' }, 3, 9],
    ['a host without a role', { role: 'auto-assign' }, 3, 0],
  ])('contains the stages of %s', (_what, changes, controlPlaneCount, length) => {
    expect(presentHost(hostDocument(changes), { controlPlaneCount }).progress_stages).toHaveLength(length);
  });

  it('contains the stages of a day-2 host up to its reboot', () => {
    const { progress_stages } = presentHost(hostDocument({ kind: 'AddToExistingClusterHost', role: 'worker' }));
    expect(progress_stages.at(-1)).toBe('Rebooting');
  });
});

describe('presentCluster', () => {
  it('contains the bundles through which operators were selected', () => {
    const monitored = (name: string, ...source_bundles: readonly string[]) => ({ name, source_bundles });
    const document = (...monitored_operators: readonly object[]) =>
      clusterDocument({ monitored_operators: monitored_operators as ClusterDocument['monitored_operators'] });
    expect(presentCluster(document({ name: 'lso' }))).not.toHaveProperty('operator_bundles');
    const operators = [
      monitored('openshift-ai', 'openshift-ai'),
      monitored('nvidia-gpu', 'openshift-ai'),
      { name: 'lso' },
    ];
    expect(presentCluster(document(...operators)).operator_bundles).toEqual([
      { id: 'openshift-ai', optional_operators: ['nvidia-gpu'] },
    ]);
  });

  it('has empty lists instead of null without hosts', () => {
    expect(presentCluster(clusterDocument())).toMatchObject({ hosts: [], host_networks: [] });
  });

  it('contains the hosts of each network', () => {
    const hosts = [
      hostDocument({ _networks: ['10.0.0.0/24'] }),
      hostDocument({ id: 'h2', _networks: ['10.0.0.0/24', 'fd00::/64'] }),
    ];
    expect(presentCluster(clusterDocument(), { hostDocuments: hosts }).host_networks).toEqual([
      { cidr: '10.0.0.0/24', host_ids: ['h1', 'h2'] },
      { cidr: 'fd00::/64', host_ids: ['h2'] },
    ]);
  });

  it.each([
    [0, true],
    [1, true],
    [2, false],
  ])('reports with %i workers that the control plane must run workloads: %s', (workers, forced) => {
    expect(presentCluster(clusterDocument({ _worker_count: workers })).schedulable_masters_forced_true).toBe(forced);
  });
});

describe('presentInfraEnv and presentEvent', () => {
  it('contain a URL when it was signed for this response', () => {
    const document = { ...kept, id: 'i1', expires_at: UNSET_TIME } as InfraEnvDocument;
    expect(presentInfraEnv(document)).not.toHaveProperty('download_url');
    expect(presentInfraEnv(document, { url: 'http://x', expiresAt: '2024-01-01T00:00:00.000Z' })).toMatchObject({
      download_url: 'http://x',
      expires_at: '2024-01-01T00:00:00.000Z',
    });
  });

  it('omit members for filters', () => {
    const document: EventDocument = {
      ...kept,
      name: 'a',
      severity: 'info',
      category: 'user',
      message: 'm',
      event_time: UNSET_TIME,
      request_id: 'r',
      host_id: 'h1',
      _props: { stage: 'Done' },
    };
    expect(presentEvent(document)).toEqual({
      name: 'a',
      severity: 'info',
      message: 'm',
      event_time: UNSET_TIME,
      host_id: 'h1',
      props: JSON.stringify({ host_id: 'h1', stage: 'Done' }),
    });
  });

  it('contain the origin of an event on request, which its own properties do not replace', () => {
    const event = { ...kept, category: 'user', _props: { actor: 'forged' } } as unknown as EventDocument;
    const known = { ...event, _actor: 'bob', _source_address: '192.0.2.7', _correlation_id: 'c' };
    expect(presentEvent(known, { withOrigin: true }).props).toBe(
      JSON.stringify({ actor: 'bob', source_address: '192.0.2.7', correlation_id: 'c' }),
    );
    expect(presentEvent({ ...known, _props: {} }).props).toBe('{}');
    expect(presentEvent({ ...known, category: 'metrics', _props: {} }, { withOrigin: true }).props).toBe('{}');
  });
});
