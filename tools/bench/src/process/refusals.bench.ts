import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { API, httpTarget, IN_FLIGHT } from '../load/fleet';
import { type Call, startLoadProcess } from '../load/load';
import { type Bench, type Measurement, milliseconds } from '../measurement';
import { startEmbeddedProcess, treeCpuMs, untilSettled } from './embedded-process';

const CALLS = 2_000;
const QUICK_CALLS = 20;
/** Large bodies are fewer, because the load process takes longer to send them. */
const LARGE_CALLS = 1_000;
const BODY_MAX_BYTES = 4 * 1024 * 1024;
const BUDGET = '< 1 ms';

const hostPath = (): string => `${API}/infra-envs/${randomUUID()}/hosts/${randomUUID()}`;
const reply = (output: string): object => ({ step_type: 'inventory', step_id: '1', exit_code: 0, output, error: '' });

interface Refused {
  readonly what: string;
  readonly call: Call;
  readonly isLarge?: boolean;
}

const UNAUTHENTICATED: readonly Refused[] = [
  { what: 'poll of an unknown host', call: { to: `GET ${hostPath()}/instructions`, status: 404 } },
  {
    what: 'reply of an unknown host',
    call: { to: `POST ${hostPath()}/instructions`, body: reply('{}'), status: 404 },
  },
  {
    what: 'body with an unknown field',
    call: { to: `POST ${API}/clusters`, body: { name: 'a', colour: 'red' }, status: 400 },
  },
  {
    what: 'body of 4 MiB and one byte',
    call: { to: `POST ${hostPath()}/instructions`, body: 'a'.repeat(BODY_MAX_BYTES - 1), status: 413 },
    isLarge: true,
  },
];

/** A token with a wrong signature is verified, so it costs more than a text that is no token. */
const forgedToken = (): string =>
  [
    Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT' })).toString('base64url'),
    Buffer.from(JSON.stringify({ infra_env_id: randomUUID() })).toString('base64url'),
    Buffer.alloc(64, 7).toString('base64url'),
  ].join('.');

const withToken = (token: string, body?: object | string): Call => ({
  to: `${body === undefined ? 'GET' : 'POST'} ${hostPath()}/instructions`,
  body,
  headers: { 'x-secret-key': token },
  status: 401,
});

const AUTHENTICATED: readonly Refused[] = [
  { what: 'text that is no token', call: withToken('wrong') },
  { what: 'token with a wrong signature', call: withToken(forgedToken()) },
  {
    what: 'wrong token with a body of 4 MiB',
    call: withToken(forgedToken(), 'a'.repeat(BODY_MAX_BYTES - 2)),
    isLarge: true,
  },
];

/** CPU time of requests that are refused. */
export const refusals: Bench = {
  name: 'refusals',
  about: 'CPU of all processes per refused request, 16 in flight',
  run: async (bed) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const local = {
      AUTH_TYPE: 'local',
      FAILED_PROOFS_PER_MINUTE_MAX: '0',
      EC_PUBLIC_KEY_PEM: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const measurements: Measurement[] = [];
    for (const [environment, refused] of [[{}, UNAUTHENTICATED] as const, [local, AUTHENTICATED] as const]) {
      const muster = await startEmbeddedProcess(bed.directory('refusals'), undefined, environment);
      const load = startLoadProcess();
      try {
        await load.open(httpTarget(muster));
        for (const { what, call, isLarge = false } of refused) {
          const times = bed.isQuick ? QUICK_CALLS : isLarge ? LARGE_CALLS : CALLS;
          const run = () => load.run({ calls: [call], pace: { inFlight: IN_FLIGHT }, stop: { calls: times } });
          // The first run compiles the code.
          await run();
          await untilSettled(muster.pid);
          const before = treeCpuMs(muster.pid);
          const { failures } = await run();
          const cpuMs = treeCpuMs(muster.pid) - before;
          const unexpected = Object.keys(failures).join(', ');
          const measured = `${milliseconds(cpuMs / times)} CPU${unexpected && ` (unexpected: ${unexpected})`}`;
          measurements.push({ what: `refused: ${what}`, measured, budget: BUDGET });
        }
      } finally {
        load.close();
        await muster.stop();
      }
    }
    return measurements;
  },
};
