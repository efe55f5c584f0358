import { hostKeyOf, ValidationService } from '@muster/contracts';
import { type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const API = '/api/muster/v1';
const SINCE = '2026-01-02T03:04:05.000Z';
const outcome = (id: string, status: string, more: object = {}) => ({
  id,
  status,
  parameters: ['8192', '16384', 'master'],
  since: SINCE,
  flips: 3,
  ...more,
});

describe('validations over the Muster API', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    const ignoring = {
      ignored_host_validations: '["ntp-synced","has-memory-for-role"]',
      ignored_cluster_validations: '[]',
    };
    await gateway.project(1, [clusterDocument(ignoring), hostDocument()]);
    await gateway.answers(ValidationService.method.readOutcomes, ({ subjectId }) => ({
      outcomes:
        subjectId === CLUSTER_ID
          ? [outcome('pull-secret-set', 'failure', { since: '', flips: 0 })]
          : [
              outcome('has-memory-for-role', 'failure'),
              outcome('connected', 'failure', {
                flips: 9,
                flapping: { since: SINCE, flips: 6, windowSeconds: 1_800, quietSeconds: 600 },
              }),
            ],
    }));
  });
  afterAll(() => gateway.close());
  const hostPath = `${API}/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/validations`;

  it('of a host contain their history, stability, blocked operations and remedies', async () => {
    const { status, body } = await gateway.call('GET', hostPath);
    expect(status).toBe(200);
    expect(gateway.received.at(-1)?.body).toEqual({ subjectId: hostKeyOf(INFRA_ENV_ID, HOST_ID) });
    const common = { status: 'failure', since: SINCE };
    expect(body).toEqual({
      validations: [
        {
          ...common,
          id: 'connected',
          category: 'network',
          message:
            'Host is disconnected: its agent no longer asks for instructions (flapping: changed 6 times in 30 min; passes after 10 min without a change)',
          measured: '',
          required: '',
          remedy: expect.stringContaining('powered on'),
          flips: 9,
          flapping: { since: SINCE, flips: 6, window_seconds: 1_800, quiet_seconds: 600 },
          gate: 'known',
          ignorable: false,
          ignored: false,
          blocks: true,
        },
        {
          ...common,
          id: 'has-memory-for-role',
          category: 'hardware',
          message: 'The host has 8192 MiB of memory, role master requires 16384 MiB',
          measured: '8192 MiB',
          required: '16384 MiB',
          remedy: expect.stringContaining('more memory'),
          flips: 3,
          flapping: null,
          gate: 'known',
          ignorable: true,
          ignored: true,
          blocks: false,
        },
      ],
      unsupported_by_override: true,
    });
  });

  it('of a cluster contain its own outcomes, and no time when none is stored', async () => {
    const { body } = await gateway.call('GET', `${API}/clusters/${CLUSTER_ID}/validations`);
    expect(body).toMatchObject({
      validations: [{ id: 'pull-secret-set', gate: 'ready', since: null, flips: 0, ignorable: false, blocks: true }],
      unsupported_by_override: true,
    });
  });

  it('answer 404 for a cluster or host that does not exist', async () => {
    expect((await gateway.call('GET', `${API}/clusters/${HOST_ID}/validations`)).status).toBe(404);
    expect((await gateway.call('GET', hostPath.replace(HOST_ID, CLUSTER_ID))).status).toBe(404);
    expect((await gateway.call('GET', `${API}/clusters/x/validations`)).status).toBe(400);
  });
});
