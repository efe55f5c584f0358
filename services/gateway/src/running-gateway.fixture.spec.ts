import type { NatsRequests } from '@muster/adapter-nats';
import { JOURNEYS_PROJECTION, VIEWS_PROJECTION } from '@muster/assisted-api';
import { subjectOfMethod } from '@muster/contracts';
import { projectionSubject } from '@muster/event-sourcing';
import type { Environment, Platform } from '@muster/nest-kit';
import {
  type Clock,
  type IncomingMessage,
  type JsonObject,
  type JsonValue,
  NO_STREAM,
  type ReadModels,
} from '@muster/ports';
import type { Refusal } from '@muster/problems';
import { eventToAppend } from '@muster/testing';
import { openTestPlatform } from '@muster/testing/platform';
import { answerChecker } from './api-document/answer-checker.fixture.spec';
import type { RouteTable } from './http/routes';
import { openGateway } from './main';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined when there is none. */
  readonly body: JsonValue | undefined;
}

type MethodName = Parameters<typeof subjectOfMethod>[0];
type Reply = (body: JsonObject, message: IncomingMessage) => JsonObject | Promise<JsonObject>;

/** A gateway with a real nats-server, in-memory read models, and services that answer as a test defines. */
export interface RunningGateway {
  readonly url: string;
  readonly platform: Platform;
  /** A second connection to the bus, for agents or services of a test. */
  readonly bus: NatsRequests;
  /** The requests that the services received, in order. */
  readonly received: {
    readonly subject: string;
    readonly body: JsonObject;
    readonly headers: IncomingMessage['headers'];
  }[];
  readonly log: string[];
  readonly routes: RouteTable;
  /** Sends a request over HTTP. Throws when the response does not match the API document. */
  call(
    method: string,
    path: string,
    options?: { json?: unknown; raw?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  answers(method: MethodName, reply: Reply): Promise<void>;
  refuses(method: MethodName, refusal: Refusal): Promise<void>;
  readonly readModels: ReadModels;
  /** Stores documents and timelines and announces their position, as the projections do. Resolves when the gateway has the announcement. */
  project(position: number, documents: readonly { collection: string; key: string; document: object }[]): Promise<void>;
  close(): Promise<void>;
}

export const API = '/api/assisted-install';

export async function startRunningGateway(
  environment: Environment = {},
  { storedEvents = 0, clock }: { readonly storedEvents?: number; readonly clock?: Clock } = {},
): Promise<RunningGateway> {
  const platform = await openTestPlatform({
    environment: { REST_HOST: '127.0.0.1', REST_PORT: '0', ...environment },
    ...(clock && { clock }),
  });
  const bus = await platform.connect('others');
  const facts = Array.from({ length: storedEvents }, () => eventToAppend());
  if (facts.length > 0) await platform.eventStore.append('note-before', NO_STREAM, facts);
  const log: string[] = [];
  const write = (...parts: unknown[]): void => void log.push(parts.map(String).join(' '));
  const logger = { log: write, error: write, warn: write, debug: write, verbose: write, fatal: write };
  const { service: gateway, routes } = await openGateway(platform, logger).catch(async (error: unknown) => {
    await platform.close();
    throw error;
  });
  await platform.requests.flush();
  const url = gateway.endpoints[0] ?? '';
  const received: RunningGateway['received'] = [];

  const answers = async (method: MethodName, reply: Reply): Promise<void> => {
    bus.subscribe(subjectOfMethod(method), async (message) => {
      const body = message.body as JsonObject;
      received.push({ subject: message.subject, body, headers: message.headers });
      return reply(body, message);
    });
    await bus.flush();
  };

  return {
    url,
    platform,
    bus,
    received,
    log,
    routes,
    call: async (method, path, { json, raw, headers = {} } = {}) => {
      const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(url + path, { method, body, headers: { ...type, ...headers }, redirect: 'manual' });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
      const answer = isJson ? (JSON.parse(text) as JsonValue) : undefined;
      const wrong = (await answerChecker())(method, path.split('?')[0] ?? path, response.status, answer);
      if (wrong !== undefined) throw new Error(`${wrong}. The body: ${text.slice(0, 2_000)}`);
      return { status: response.status, headers: response.headers, text, body: answer };
    },
    answers: (method, reply) => answers(method, async (body, message) => ({ ok: await reply(body, message) })),
    refuses: (method, { code, reason, subject = '', allowed = [] }) =>
      answers(method, () => ({ refusal: { code, reason, subject, allowed: [...allowed] } })),
    readModels: platform.readModels,
    project: async (position, documents) => {
      const changes = documents.map(({ collection, key, document }) => ({
        kind: 'put' as const,
        collection,
        key,
        document: document as JsonObject,
      }));
      await platform.readModels.commit(JOURNEYS_PROJECTION, position, []);
      await platform.readModels.commit(VIEWS_PROJECTION, position, changes);
      bus.publish(projectionSubject(VIEWS_PROJECTION), { projection: VIEWS_PROJECTION, position });
      await bus.flush();
      await platform.requests.flush();
    },
    close: async () => {
      await gateway.close();
      await platform.close();
    },
  };
}
