import { hostReason } from '@muster/domain';
import { presentEvent } from '@muster/assisted-api';
import {
  CLUSTER_ID,
  clusterRegistered,
  type TestEvent,
  HOST_ID,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  onCluster,
  onClusterOutcomes,
  onHost,
  onHostOutcomes,
  onInfraEnv,
  onInventory,
  onNote,
  timeAt,
  viewsAfter,
} from '../views/view-events.fixture.spec';

const outcome = (id: string, status: string) => ({ id, status, parameters: [] }) as never;

const cluster = clusterRegistered({ monitoredOperators: [{ name: 'lvm', operatorType: 'olm' } as never] });
const host = hostRegistered();

const messagesOf = async (...events: readonly TestEvent[]): Promise<readonly string[]> =>
  (await viewsAfter(...events)).log.filter(({ category }) => category === 'user').map(({ message }) => message);

describe('an entry about changed settings of an infra-env', () => {
  const details = async (data: Parameters<typeof onInfraEnv<'InfraEnvSettingsRevised'>>[1]) => {
    const { log } = await viewsAfter(infraEnvRegistered(), onInfraEnv('InfraEnvSettingsRevised', data));
    return log.slice(1).map(({ _props: props }) => props['details']);
  };

  it('has their names in the v2 API', async () => {
    const trustBundle = { digest: 'sha256:1', bytes: 1 };
    const changes = { sshAuthorizedKey: 'k', additionalNtpSources: 'a', additionalTrustBundle: '', trustBundle };
    expect(await details({ changes })).toEqual(['ssh_authorized_key, additional_ntp_sources, additional_trust_bundle']);
  });

  it('names a replaced pull secret, which the image contains', async () => {
    expect(await details({ pullSecretReplaced: true })).toEqual(['pull_secret']);
    expect(await details({ changes: { imageType: 'full-iso' }, pullSecretReplaced: true })).toEqual([
      'image_type, pull_secret',
    ]);
  });
});

describe('an entry about a document of a user', () => {
  const GIVEN = { digest: 'sha256:1', bytes: 1 };
  const NONE = { digest: '', bytes: 0 };

  it.each([
    ['were set', { document: GIVEN, omitsConsole: false, isFips: false }],
    ['were removed', { document: NONE, omitsConsole: false, isFips: false }],
  ])('says that the install-config overrides %s', async (what, installConfigOverrides) => {
    const revision = onCluster('ClusterSettingsRevised', { changes: { installConfigOverrides } });
    expect((await messagesOf(cluster, revision)).at(-1)).toBe(`The install-config overrides of cluster demo ${what}.`);
  });

  it.each([
    ['ignition override', 'was set', { ignitionConfigOverrides: GIVEN }],
    ['ignition override', 'was removed', { ignitionConfigOverrides: NONE }],
    ['installer arguments', 'were set', { installerArgs: '["--append-karg","quiet"]' }],
    ['installer arguments', 'were removed', { installerArgs: '[]' }],
    ['installer arguments', 'were removed', { installerArgs: '' }],
  ])('says that the %s of a host %s: %j', async (which, what, changes) => {
    const messages = await messagesOf(host, onHost('HostSettingsRevised', { changes }));
    expect(messages.at(-1)).toBe(`The ${which} of host ${HOST_ID} ${what}.`);
  });
});

describe('an entry about a validation', () => {
  it('has the text of assisted-service v2 that scripts wait for', async () => {
    const { log } = await viewsAfter(
      cluster,
      host,
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('has-inventory', 'success')] }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'failure')] }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'success')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('api-vips-defined', 'success')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('dns-domain-defined', 'failure')] }),
    );
    const messages = log.map(({ message }) => message).filter((message) => message.includes('validation'));
    expect(messages).toEqual([
      expect.stringMatching(/^Host .*: validation 'connected' that used to succeed is now failing$/),
      expect.stringMatching(/^Host .*: validation 'connected' is now fixed$/),
      "Cluster validation 'dns-domain-defined' that used to succeed is now failing",
    ]);
  });

  it('is not added after a reset, because earlier outcomes are void', async () => {
    const { log } = await viewsAfter(
      cluster,
      host,
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('has-inventory', 'success')] }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'failure')], generation: 2, reset: true }),
    );
    expect(log.filter(({ name }) => name.includes('validation'))).toEqual([]);
  });
});

describe('an entry of the event log', () => {
  it('contains its cluster, host, infra-env, time and owner', async () => {
    const { log } = await viewsAfter(
      cluster,
      host,
      onHost('HostRenamed', { requestedHostname: 'node-1' }),
      onHost('HostBootstrapChosen'),
    );
    const line = log.at(-1);
    expect(line).toMatchObject({
      name: 'host_bootstrap_set',
      cluster_id: CLUSTER_ID,
      host_id: HOST_ID,
      infra_env_id: INFRA_ENV_ID,
      category: 'user',
      event_time: timeAt(3),
      org_id: 'acme',
    });
    expect(line?.message).toContain('node-1');
    expect(line && JSON.parse(presentEvent(line).props)).toMatchObject({ host_name: 'node-1', host_id: HOST_ID });
  });

  it('contains the infra-env but not the cluster when a host is unbound', async () => {
    const { log } = await viewsAfter(cluster, host, onHost('HostUnbound', { clusterId: CLUSTER_ID }));
    expect(log.at(-1)?.name).toBe('host_unbind_succeeded');
    expect(log.at(-1)).not.toHaveProperty('cluster_id');
  });

  it('has a key that sorts by time', async () => {
    const { documents } = await viewsAfter(cluster, onCluster('ClusterEnteredStatus', { status: 'installed' }));
    const keys = [...documents.keys()].filter((key) => key.startsWith('events/'));
    expect(keys).toEqual(['events/0000000000000000.0', 'events/0000000000000001.0', 'events/0000000000000001.1']);
  });

  it('has the content of its note', async () => {
    const { log } = await viewsAfter(
      cluster,
      onNote('NoteRecorded', {
        name: 'reboots_for_node',
        severity: 'warning',
        category: 'metrics',
        message: 'twice',
        clusterId: CLUSTER_ID,
        props: { reboots: 2 },
      }),
    );
    expect(log.at(-1)).toMatchObject({
      name: 'reboots_for_node',
      severity: 'warning',
      category: 'metrics',
      message: 'twice',
      org_id: 'acme',
    });
    // Only events of the category user get the ids of their subject.
    expect(log.map((entry) => presentEvent(entry)).at(-1)?.props).toBe(JSON.stringify({ reboots: 2 }));
  });

  it('has the texts of assisted-service v2 that scripts wait for', async () => {
    const named = [cluster, host, onHost('HostRenamed', { requestedHostname: 'node-1' })];
    const changes = [outcome('a', 'success'), outcome('a', 'failure'), outcome('a', 'success')];
    const ofHost = await messagesOf(
      ...named,
      ...changes.map((one) => onHostOutcomes('HostOutcomesChanged', { changed: [one] })),
    );
    expect(ofHost[0]).toBe('Successfully registered cluster');
    expect(ofHost.slice(-2)).toEqual([
      "Host node-1: validation 'a' that used to succeed is now failing",
      "Host node-1: validation 'a' is now fixed",
    ]);
    const ofCluster = await messagesOf(
      cluster,
      ...changes.map((one) => onClusterOutcomes('ClusterOutcomesChanged', { changed: [one] })),
    );
    expect(ofCluster.slice(-2)).toEqual([
      "Cluster validation 'a' that used to succeed is now failing",
      "Cluster validation 'a' is now fixed",
    ]);
  });

  it('does not contain an empty status for the first status', async () => {
    const first = onHost('HostEnteredStatus', { status: 'discovering', from: '', statusReason: hostReason('binding') });
    const next = onHost('HostEnteredStatus', { status: 'known', from: 'discovering' });
    expect((await messagesOf(host, first, next)).slice(-2)).toEqual([
      `Host ${HOST_ID}: status is "discovering" (Host is waiting to be bound to the cluster)`,
      `Host ${HOST_ID}: updated status from "discovering" to "known"`,
    ]);
  });

  it('names the values from which agents derive the id that two machines use', async () => {
    const messages = await messagesOf(host, onHost('HostIdentityConflictDetected'));
    expect(messages.at(-1)).toMatch(/board serial number .*system UUID/);
  });

  it('has rounded amounts with units', async () => {
    const image = {
      name: 'a',
      result: 'success',
      seconds: 8.069444444444445,
      sizeBytes: 1_234_567_890,
      downloadRateMbps: 152.99,
    };
    const report = onInventory('ImageAvailabilityReported', { images: [image as never] });
    const { log } = await viewsAfter(host, report);
    expect(log.at(-1)?.message).toBe(`Host ${HOST_ID}: image a is available (pulled in 8.1 s).`);
    expect(log.at(-1)?._props).toMatchObject({ info: '1.2 GB at 153 MB/s' });
  });

  it('is replaced by the next percentage of the same disk write', async () => {
    const writing = (progressInfo: string, stageChanged = false) =>
      onHost('HostProgressed', { stage: 'Writing image to disk', progressInfo, stageChanged });
    const messages = await messagesOf(
      host,
      onHost('HostProgressed', { stage: 'Installing', stageChanged: true }),
      writing('', true),
      writing('5%'),
      writing('40%'),
      writing('100%'),
      onHost('HostProgressed', { stage: 'Rebooting', stageChanged: true }),
    );
    expect(messages.slice(1)).toEqual([
      `Host ${HOST_ID}: reached installation stage Installing`,
      `Host ${HOST_ID}: reached installation stage Writing image to disk: 100%`,
      `Host ${HOST_ID}: reached installation stage Rebooting`,
    ]);
  });

  it('stays when a percentage of another stage follows', async () => {
    const messages = await messagesOf(
      host,
      onHost('HostProgressed', { stage: 'Installing', progressInfo: '100%', stageChanged: true }),
      onHost('HostProgressed', { stage: 'Writing image to disk', progressInfo: '1%', stageChanged: true }),
    );
    expect(messages.slice(1)).toEqual([
      `Host ${HOST_ID}: reached installation stage Installing: 100%`,
      `Host ${HOST_ID}: reached installation stage Writing image to disk: 1%`,
    ]);
  });

  it('stays when the next percentage of a disk write follows on another text', async () => {
    const writing = (progressInfo: string, stageChanged = false) =>
      onHost('HostProgressed', { stage: 'Writing image to disk', progressInfo, stageChanged });
    const silence = 'coreos-installer has printed nothing for 5 minutes. Check the source of the image and the disk.';
    const messages = await messagesOf(
      host,
      writing('', true),
      writing('40%'),
      writing(silence),
      writing('45%'),
      writing('50%'),
    );
    expect(messages.slice(1)).toEqual([
      `Host ${HOST_ID}: reached installation stage Writing image to disk: 40%`,
      `Host ${HOST_ID}: reached installation stage Writing image to disk: ${silence}`,
      `Host ${HOST_ID}: reached installation stage Writing image to disk: 50%`,
    ]);
  });
});
