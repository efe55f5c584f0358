import type { DescMethod } from '@bufbuild/protobuf';

/** Every subject on the bus is built in this file: general to specific, identity as a token, verbs in lower snake case. */
const snake = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');

/** `registration.v1.register_host` for RegistrationService.RegisterHost. */
export function subjectOfMethod(method: DescMethod): string {
  const service = snake(method.parent.name.replace(/Service$/, ''));
  return `${service}.v1.${snake(method.name)}`;
}

/** Live copies of stored events: `fact.v1.<category>`. All categories: `fact.v1.>` (beacons included). */
export const ALL_EVENTS = 'fact.v1.>';
export const eventSubject = (category: string): string => `fact.v1.${category}`;
/** "The store ends here", said by the relay while nothing happens. Not a category: it has a second token. */
export const HEAD_BEACON = 'fact.v1.head.beacon';
/** A projection has committed up to a position. */
export const projectionSubject = (projection: string): string => `projection.v1.${projection}`;
export const ALL_PROJECTIONS = 'projection.v1.*';

export type AgentVerb = 'register' | 'next_steps' | 'reply_to_step' | 'report_progress' | 'nudge';
export const agentSubject = (infraEnvId: string, hostId: string, verb: AgentVerb): string =>
  `agent.v1.${infraEnvId}.${hostId}.${verb}`;
/** What the agents' endpoint listens to, per verb. */
export const anyAgentSubject = (verb: AgentVerb): string => `agent.v1.*.*.${verb}`;

/** All that the agents of one infra-env may say and hear; their credentials are minted for it. */
export const allAgentSubjects = (infraEnvId: string): string => `agent.v1.${infraEnvId}.>`;

export function parseAgentSubject(
  subject: string,
): { readonly infraEnvId: string; readonly hostId: string; readonly verb: string } | undefined {
  const [agent, version, infraEnvId, hostId, verb, ...rest] = subject.split('.');
  if (agent !== 'agent' || version !== 'v1' || !infraEnvId || !hostId || !verb || rest.length > 0) return undefined;
  return { infraEnvId, hostId, verb };
}
