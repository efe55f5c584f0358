import type { DescMethod } from '@bufbuild/protobuf';

/** Every subject on the bus is built in this file: general to specific, identity as a token, verbs in lower snake case. */
const snake = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');

/** `registration.v1.register_host` for RegistrationService.RegisterHost. */
export function subjectOfMethod(method: DescMethod): string {
  const service = snake(method.parent.name.replace(/Service$/, ''));
  return `${service}.v1.${snake(method.name)}`;
}

export type AgentVerb = 'register' | 'next_steps' | 'reply_to_step' | 'report_progress' | 'nudge';
export const agentSubject = (infraEnvId: string, hostId: string, verb: AgentVerb): string =>
  `agent.v1.${infraEnvId}.${hostId}.${verb}`;
/** What the agents' endpoint listens to, per verb. */
export const anyAgentSubject = (verb: AgentVerb): string => `agent.v1.*.*.${verb}`;

/** Verbs that the agent of a host publishes. */
export const AGENT_REQUEST_VERBS = [
  'register',
  'next_steps',
  'reply_to_step',
  'report_progress',
] as const satisfies readonly AgentVerb[];

export function parseAgentSubject(
  subject: string,
): { readonly infraEnvId: string; readonly hostId: string; readonly verb: string } | undefined {
  const [agent, version, infraEnvId, hostId, verb, ...rest] = subject.split('.');
  if (agent !== 'agent' || version !== 'v1' || !infraEnvId || !hostId || !verb || rest.length > 0) return undefined;
  return { infraEnvId, hostId, verb };
}

/** Header names of the bus: caller, owner, and command id. Headers never contain secrets. */
export const HEADERS = {
  commandId: 'muster-command-id',
  actor: 'muster-actor',
  org: 'muster-org',
  user: 'muster-user',
  sourceAddress: 'muster-source-address',
  requestId: 'muster-request-id',
  correlationId: 'muster-correlation-id',
  causationId: 'muster-causation-id',
} as const;
