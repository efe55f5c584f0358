import { randomUUID } from 'node:crypto';
import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { connectNatsRequests, createHostKey } from '@muster/adapter-nats';
import {
  agentSubject,
  type AgentVerb,
  HEADERS,
  NextStepsRequestSchema,
  NextStepsResponseSchema,
  RegisterHostRequestSchema,
  RegisterHostResponseSchema,
  ReplyToStepRequestSchema,
  ReplyToStepResponseSchema,
} from '@muster/contracts';
import { retryDelayMs, type Timer } from '@muster/host-api';
import { MessageTooLarge, type Requests } from '@muster/ports';
import { PROBLEMS } from '@muster/problems';
import { errorMessage, isKeyOf, isObject, memberAt, textAt } from '@muster/schema';
import type { NatsAccess } from '../discovery-settings';
import { type Transport, TransportRefused, TransportUnreachable } from './transport.port';

/** Connects to the bus as one host. `inboxPrefix` is the only subject at which this host may receive replies. */
export type ConnectNats = (
  access: NatsAccess & {
    readonly identity?: { readonly jwt: () => string; readonly seed: string };
    readonly inboxPrefix: string;
    readonly name: string;
  },
) => Promise<Requests>;

/** Opens a connection for one agent. It fails immediately when no server answers, so that HTTP is used. */
export const connectNats: ConnectNats = ({ url, credentials, identity, inboxPrefix, caPem, name }) =>
  connectNatsRequests({ servers: url, name, credentials, identity, inboxPrefix, caPem });

/** Creates a user key for the bus. */
export const createBusKey = createHostKey;

export interface NatsTransportOptions {
  /** Closed with the transport. */
  readonly requests: Requests;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly timer: Timer;
  /** Time limit of a request in milliseconds. */
  readonly timeoutMs?: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
const RETRIES_MAX = 3;
/** Status of a refusal that a later attempt may not get, as over HTTP. */
const BUSY = 503;
/** Status of a message that the bus does not accept, as over HTTP. */

/** Sends the same requests as messages on `agent.v1.<infraEnvId>.<hostId>.<verb>`. The service can send wake-ups. */
export function createNatsTransport(options: NatsTransportOptions): Transport {
  const { requests, infraEnvId, hostId } = options;
  const ids = { infraEnvId, hostId };
  /** Position of the event store in the last answer that has one. */
  let reachedPosition: number | undefined;
  const ask = async <In extends DescMessage, Out extends DescMessage>(
    verb: AgentVerb,
    [requestSchema, responseSchema]: readonly [In, Out],
    message: MessageInitShape<In>,
    signal: AbortSignal,
  ): Promise<MessageShape<Out>> => {
    const body = toJson(requestSchema, create(requestSchema, message), { alwaysEmitImplicit: true });
    // All attempts have one command id, so the service executes the command once. No event up to the position has it.
    const headers = {
      [HEADERS.commandId]: randomUUID(),
      ...(reachedPosition !== undefined && { [HEADERS.unusedUpTo]: String(reachedPosition) }),
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const subject = agentSubject(infraEnvId, hostId, verb);
        const answer = await requests.request(subject, body, headers, options.timeoutMs ?? ANSWER_TIMEOUT_MS);
        const position = memberAt(answer, 'reachedPosition');
        if (typeof position === 'number') reachedPosition = position;
        return fromJson(responseSchema, okOf(answer), { ignoreUnknownFields: true });
      } catch (error) {
        if (error instanceof MessageTooLarge && !error.isAnswer)
          throw new TransportRefused(PROBLEMS['too-large'].status, error.message);
        const isFinal = attempt > RETRIES_MAX || signal.aborted;
        if (error instanceof TransportRefused && (isFinal || error.status !== BUSY)) throw error;
        const reason = errorMessage(error);
        if (isFinal) throw new TransportUnreachable(reason);
        await options.timer.sleep(retryDelayMs(attempt, Math.random), signal);
      }
    }
  };

  return {
    register: async (discoveryAgentVersion, { macAddresses, systemSerial: serialNumber, bootId }, signal) => {
      const machine = { macAddresses: macAddresses.map((mac) => mac.toLowerCase()).sort(), serialNumber, bootId };
      const answer = await ask(
        'register',
        [RegisterHostRequestSchema, RegisterHostResponseSchema],
        { ...ids, discoveryAgentVersion, machine },
        signal,
      );
      return { agentVersion: answer.agentVersion || discoveryAgentVersion };
    },
    nextSteps: async (discoveryAgentVersion, timestampSeconds, signal) => {
      const { instructions, nextInstructionSeconds, postStepAction } = await ask(
        'next_steps',
        [NextStepsRequestSchema, NextStepsResponseSchema],
        { ...ids, discoveryAgentVersion, timestampSeconds, receivesNudges: true },
        signal,
      );
      const steps = instructions.map(({ stepType, stepId, args }) => ({ stepType, stepId, args }));
      return { steps, nextInstructionSeconds, postStepAction };
    },
    reply: async (reply, signal) => {
      await ask('reply_to_step', [ReplyToStepRequestSchema, ReplyToStepResponseSchema], { ...ids, ...reply }, signal);
    },
    listen: (onNudge) => {
      const subscription = requests.subscribe(agentSubject(infraEnvId, hostId, 'nudge'), () => onNudge());
      return () => subscription.unsubscribe();
    },
    close: () => requests.close(),
  };
}

/**
 * Returns the content of the reply envelope.
 * @throws TransportRefused for a refusal
 */
function okOf(answer: JsonValue): JsonValue {
  if (!isObject(answer)) throw new Error('The answer is not an envelope.');
  if (answer['ok'] !== undefined) return answer['ok'];
  const [code = '', reason = code] = [textAt(answer, 'refusal', 'code'), textAt(answer, 'refusal', 'reason')];
  throw new TransportRefused(isKeyOf(PROBLEMS, code) ? PROBLEMS[code].status : 500, reason);
}
