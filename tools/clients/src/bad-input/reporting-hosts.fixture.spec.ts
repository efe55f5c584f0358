import { randomUUID } from 'node:crypto';
import { START_OF_STORE } from '@muster/ports';
import { embeddedSettings, eventually, temporaryDirectory } from '@muster/testing';
import { startEmbedded } from '@muster/service-muster';

export interface Answer {
  readonly status: number;
  /** Why the response is not as expected; '' when it is. */
  readonly reason: string;
}

export interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

/** A running Muster with a cluster and hosts that send arbitrary reports. */
export interface ReportingHosts {
  /** Registers a host and returns its id. */
  register(): Promise<string>;
  /** Sends the reply of an agent over HTTP. */
  reply(host: string, stepType: string, output: string): Promise<Answer>;
  /** Sends the reply with a body that is not produced by a JSON library. */
  replyBytes(host: string, body: Buffer): Promise<Answer>;
  /** Outcomes by id, from the REST API. */
  outcomes(host: string): Promise<ReadonlyMap<string, Outcome>>;
  /** Resolves when the rule has the outcome. */
  outcomesOnce(host: string, ruleId: string, status: string): Promise<ReadonlyMap<string, Outcome>>;
  /** Length of `validations_info` in characters. */
  validationsLength(host: string): Promise<number>;
  /** Size of the largest stored event of the host, in bytes of JSON. */
  longestEventBytes(host: string): Promise<number>;
  close(): Promise<void>;
}

const PULL_SECRET = JSON.stringify({ auths: { 'cloud.openshift.com': { auth: 'YTpi', email: 'a@example.com' } } });

export async function openReportingHosts(): Promise<ReportingHosts> {
  const directory = temporaryDirectory();
  const silent = (): void => undefined;
  const muster = await startEmbedded(embeddedSettings(directory.path), { log: silent, error: silent, warn: silent });
  const endpoint = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  const send = async (method: string, path: string, body?: string | Buffer): Promise<Response> =>
    fetch(`${endpoint}/api/assisted-install/v2${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: typeof body === 'string' || body === undefined ? body : new Uint8Array(body),
    });
  const create = async (path: string, body: object): Promise<string> => {
    const response = await send('POST', path, JSON.stringify(body));
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  const common = { name: 'bad-input', openshift_version: '4.18', pull_secret: PULL_SECRET };
  const clusterId = await create('/clusters', { ...common, base_dns_domain: 'example.com' });
  const infraEnvId = await create('/infra-envs', { ...common, cluster_id: clusterId });
  const pathOf = (host: string): string => `/infra-envs/${infraEnvId}/hosts/${host}`;
  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text();
    const { reason, message } = (text === '' ? {} : JSON.parse(text)) as { reason?: string; message?: string };
    return { status: response.status, reason: reason ?? message ?? '' };
  };
  const replyBytes = async (host: string, body: string | Buffer): Promise<Answer> =>
    answerOf(await send('POST', `${pathOf(host)}/instructions`, body));
  const validationsOf = async (host: string): Promise<string> =>
    ((await (await send('GET', pathOf(host))).json()) as { validations_info?: string }).validations_info ?? '';
  const outcomes = async (host: string): Promise<ReadonlyMap<string, Outcome>> => {
    const groups = JSON.parse((await validationsOf(host)) || '{}') as { [group: string]: readonly Outcome[] };
    return new Map(
      Object.values(groups)
        .flat()
        .map((outcome) => [outcome.id, outcome]),
    );
  };
  return {
    register: async () => {
      const host = randomUUID();
      await create(`/infra-envs/${infraEnvId}/hosts`, { host_id: host, discovery_agent_version: 'agent' });
      return host;
    },
    reply: (host, stepType, output) =>
      replyBytes(
        host,
        JSON.stringify({ step_type: stepType, step_id: `${stepType}-1`, exit_code: 0, output, error: '' }),
      ),
    replyBytes,
    outcomes,
    outcomesOnce: async (host, ruleId, status) => {
      let last: ReadonlyMap<string, Outcome> = new Map();
      await eventually(`${ruleId} is ${status}`, async () => {
        last = await outcomes(host);
        return last.get(ruleId)?.status === status;
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}; it is ${JSON.stringify(last.get(ruleId))}`);
      });
      return last;
    },
    validationsLength: async (host) => (await validationsOf(host)).length,
    longestEventBytes: async (host) => {
      const lengths = [0];
      for await (const page of muster.platform.eventStore.readAll(START_OF_STORE))
        for (const { streamId, data } of page)
          if (streamId.includes(host)) lengths.push(Buffer.byteLength(JSON.stringify(data)));
      return Math.max(...lengths);
    },
    close: async () => {
      await muster.close();
      directory.remove();
    },
  };
}
