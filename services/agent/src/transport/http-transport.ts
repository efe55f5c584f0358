import {
  type ProxySettings,
  AGENT_RETRIES,
  API_PREFIX,
  type HttpCall,
  HttpRefused,
  type Timer,
  createHttpClient,
} from '@muster/host-api';
import { abortAfter } from '@muster/ports';
import { createReader, errorMessage, listAt, parseJson, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { TransportRefused, TransportUnreachable, type Transport, type StepInstruction } from './transport.port';

export interface HttpTransportOptions {
  /** `http://host:port` without the API prefix. */
  readonly serviceUrl: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  /** Sent as X-Secret-Key when it is not empty. */
  readonly token: string;
  readonly caPem?: string;
  readonly isInsecure?: boolean;
  readonly proxy?: ProxySettings;
  readonly timer: Timer;
  /**
   * Longest time of a request and its retries, in milliseconds. A slow answer could otherwise end the polls.
   * @default 600,000
   */
  readonly requestMsMax?: number;
}

const REQUEST_MS_MAX = 10 * 60_000;

/** Prefix of the Muster API. */
const MUSTER_API_PREFIX = '/api/muster/v1';

/** Bus credentials of one host. */
export interface BusCredentials {
  /** NATS user JWT for the key of the request. */
  readonly jwt: string;
  readonly inboxPrefix: string;
}

export interface HttpTransport extends Transport {
  /**
   * Requests bus credentials for a public NATS user key.
   * @throws TransportRefused or TransportUnreachable
   */
  busCredentials(publicKey: string, signal: AbortSignal): Promise<BusCredentials>;
}

const text = Type.String();
const RESPONSE = { name: 'the response', nullIsAbsent: true };

const readInstructions = createReader(
  Type.Object({
    instructions: Type.Optional(
      Type.Array(
        Type.Object({
          step_type: Type.Optional(text),
          step_id: Type.Optional(text),
          args: Type.Optional(Type.Array(text)),
        }),
      ),
    ),
    next_instruction_seconds: Type.Optional(Type.Integer()),
    post_step_action: Type.Optional(text),
  }),
  RESPONSE,
);
const readBusCredentials = createReader(Type.Object({ jwt: text, inbox_prefix: text }), {
  ...RESPONSE,
  hidesValues: true,
});

/** Uses the v2 API over HTTP, as assisted-installer-agent does. */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const client = createHttpClient({
    baseUrl: options.serviceUrl.replace(/\/+$/, ''),
    headers: options.token ? { 'X-Secret-Key': options.token } : {},
    caPem: options.caPem,
    isInsecure: options.isInsecure,
    proxy: options.proxy,
    sendsJsonErrors: true,
    retries: AGENT_RETRIES,
    timer: options.timer,
  });
  const hosts = `${API_PREFIX}/v2/infra-envs/${options.infraEnvId}/hosts`;
  const busCredentials = `${MUSTER_API_PREFIX}/infra-envs/${options.infraEnvId}/hosts/${options.hostId}/bus-credentials`;
  const instructions = `${hosts}/${options.hostId}/instructions`;
  const ask = async (call: HttpCall, agentVersion: string, signal: AbortSignal): Promise<unknown> => {
    try {
      const headers: Record<string, string> = agentVersion ? { discovery_agent_version: agentVersion } : {};
      const limit = abortAfter(options.requestMsMax ?? REQUEST_MS_MAX, signal);
      const answer = await client.call({ ...call, headers }, limit);
      return answer.body.length > 0 ? JSON.parse(answer.body.toString('utf8')) : undefined;
    } catch (error) {
      if (error instanceof HttpRefused) throw new TransportRefused(error.status, error.reason);
      throw new TransportUnreachable(errorMessage(error));
    }
  };
  let lastVersion = '';

  return {
    register: async (agentVersion, _identity, signal) => {
      const json = { host_id: options.hostId, discovery_agent_version: agentVersion };
      const body = await ask({ method: 'POST', path: hosts, json }, agentVersion, signal);
      return { agentVersion: runnerVersionOf(body, options) };
    },
    nextSteps: async (agentVersion, timestampSeconds, signal) => {
      lastVersion = agentVersion;
      const query = { timestamp: String(timestampSeconds) };
      const body = readInstructions(await ask({ method: 'GET', path: instructions, query }, agentVersion, signal));
      return {
        steps: (body.instructions ?? []).map(toStepInstruction),
        nextInstructionSeconds: body.next_instruction_seconds ?? 0,
        postStepAction: body.post_step_action ?? 'continue',
      };
    },
    reply: async ({ stepType, stepId, exitCode, output, error }, signal) => {
      const json = { step_type: stepType, step_id: stepId, exit_code: exitCode, output, error };
      await ask({ method: 'POST', path: instructions, json }, lastVersion, signal);
    },
    busCredentials: async (publicKey, signal) => {
      const json = { public_key: publicKey };
      const body = await ask({ method: 'POST', path: busCredentials, json }, '', signal);
      const { jwt, inbox_prefix: inboxPrefix } = readBusCredentials(body);
      return { jwt, inboxPrefix };
    },
    listen: () => () => undefined,
    close: async () => client.close(),
  };
}

const toStepInstruction = (step: {
  step_type?: string;
  step_id?: string;
  args?: readonly string[];
}): StepInstruction => ({
  stepType: step.step_type ?? '',
  stepId: step.step_id ?? '',
  args: step.args ?? [],
});

/** The runner command has one argument: JSON text that must contain the id of this host. */
function runnerVersionOf(body: unknown, ours: { infraEnvId: string; hostId: string }): string {
  const [arg, ...more] = listAt(body, 'next_step_runner_command', 'args');
  if (typeof arg !== 'string' || more.length > 0)
    throw new TransportUnreachable(
      'The response to the registration has no runner command. The service is not compatible with this agent.',
    );
  const command = parseJson(arg);
  const agentVersion = textAt(command, 'agent_version');
  const [infraEnvId, hostId] = [textAt(command, 'infra_env_id'), textAt(command, 'host_id')];
  if (infraEnvId !== ours.infraEnvId || hostId !== ours.hostId || !agentVersion)
    throw new TransportUnreachable(
      'The runner command of the registration has a different host id or no agent version.',
    );
  return agentVersion;
}
