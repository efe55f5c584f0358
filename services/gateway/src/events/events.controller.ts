import { COLLECTIONS, type EventDocument, ListEventsQuery, TriggerEventBody, V2_EVENT } from '@muster/assisted-api';
import { EventsService, hostKeyOf } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { READ_MODELS } from '@muster/nest-kit';
import { JSON_MAX_DEPTH, jsonExtentFault, type JsonObject, type JsonValue, type ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { createJsonParser, onlyPresent, valueOf } from '@muster/schema';
import { Body, Controller, Get, HttpCode, Inject, Injectable, Post, Query, Req, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts, type Caller, FiltersList, type Owned, ReachesHostsOfCluster } from '../auth/caller';
import { Ownership, SAME_IDS_MAX } from '../auth/ownership';
import { RequestRates } from '../auth/request-rates';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { EVENT_COUNT_HEADERS } from '../http/headers';
import { EventPages, hostIdsOf, type ReadableHosts, type ShowsOrigin, toCountHeaders } from './event-pages';

const parseProps = createJsonParser(Type.Unsafe<JsonObject | JsonValue[]>({ type: ['object', 'array'] }), {
  name: 'props',
});

/**
 * Parses properties from an object, or from a list of alternating keys and values. Other text is ignored, and values that could not be
 * written again: nested deeper than a body may be, or with a number that is too large, which JavaScript reads as infinite.
 */
export function parseEventProps(text: string | undefined): JsonObject | undefined {
  if (!text || jsonExtentFault(Buffer.from(text)) !== undefined) return undefined;
  const props = valueOf(parseProps(text));
  if (props === undefined || !isStorable(props)) return undefined;
  return Array.isArray(props) ? fromPairs(props) : props;
}

function isStorable(value: JsonValue, levels = JSON_MAX_DEPTH): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member: JsonValue) => isStorable(member, levels - 1));
}

function fromPairs(items: readonly JsonValue[]): JsonObject | undefined {
  if (items.length === 0 || items.length % 2 !== 0) return undefined;
  const pairs: [string, JsonValue][] = [];
  for (let index = 0; index < items.length; index += 2) {
    const key = items[index];
    if (typeof key !== 'string') return undefined;
    pairs.push([key, items[index + 1] ?? null]);
  }
  return Object.fromEntries(pairs);
}

/** The events of a query that a caller may read. */
interface ReadableEvents {
  readonly query: ListEventsQuery;
  /** The hosts to which the ids of hosts refer; undefined: all. */
  readonly hosts?: ReadableHosts;
}

/**
 * Restricts the events to those that the caller may read. The query of an agent has to name the infra-env or cluster of
 * its token.
 */
@Injectable()
export class EventScopes {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly ownership: Ownership,
  ) {}

  /** Whether the caller gets an empty list, because a user without administrator rights named no resource. */
  hasNothingToShow(caller: Caller | undefined, query: ListEventsQuery): boolean {
    return caller !== undefined && !caller.scope && caller.role === 'user' && !isOfSomething(query);
  }

  /**
   * Returns the query for what the caller may read. A machine that moved between tenants has the same host id in several infra-envs.
   * As in assisted-service v2, a user finds no events of hosts that were removed or belong to another tenant.
   * @throws RefusalError `not-found` when the query names another resource that the caller may not read.
   */
  async readable(caller: Caller | undefined, query: ListEventsQuery): Promise<ReadableEvents> {
    if (!caller) return { query };
    const { scope } = caller;
    if (!scope) return this.ofOwnHosts(caller, query);
    const covered =
      'clusterId' in scope
        ? query.cluster_id?.toLowerCase() === scope.clusterId
        : query.cluster_id === undefined && (await this.isOfInfraEnv(scope.infraEnvId, query));
    if (!covered) {
      const reason = 'This token does not give access to these events. Name its own infra-env or cluster.';
      throw new RefusalError({ code: 'not-found', reason });
    }
    return { query, hosts: 'infraEnvId' in scope ? new Map([[scope.infraEnvId, hostIdsOf(query)]]) : undefined };
  }

  /**
   * Returns the infra-env of the host of a new event: as given, else the only one in which the caller reaches a host with that id.
   * Without it the event would have no owner, and a list by host would not contain it.
   */
  async infraEnvOf(caller: Caller, body: TriggerEventBody): Promise<string> {
    const { infra_env_id: given, host_id: hostId, cluster_id: clusterId } = body;
    if (given || !hostId) return given?.toLowerCase() ?? '';
    const ofToken = caller.scope && 'infraEnvId' in caller.scope ? caller.scope.infraEnvId : undefined;
    const where = {
      id: hostId.toLowerCase(),
      ...onlyPresent({ infra_env_id: ofToken, cluster_id: clusterId?.toLowerCase() }),
    };
    const found = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: 2 });
    return found.length === 1 ? (found[0]?.document.infra_env_id ?? '') : '';
  }

  /** Returns which of the events show their origin: all to administrators, none to agents, to others those that they may write. */
  async originsShownTo(caller: Caller | undefined, events: readonly EventDocument[]): Promise<ShowsOrigin> {
    if (!caller || caller.kind === 'agent') return () => false;
    if (caller.role !== 'user') return () => true;
    const shown = new Map<string, boolean>();
    for (const event of events) {
      const owner = ownerOf(event);
      if (!shown.has(owner)) shown.set(owner, await this.ownership.permitsWrite(caller, await this.ownedBy(event)));
    }
    return (event) => shown.get(ownerOf(event)) ?? false;
  }

  /** The event names the owner of the infra-env of its host, but a host belongs to the owner of its cluster. */
  private async ownedBy(event: EventDocument): Promise<Owned> {
    const { cluster_id: clusterId, host_id: hostId } = event;
    if (!clusterId || !hostId) return event;
    const cluster = await this.readModels.get(COLLECTIONS.clusters, clusterId);
    return cluster ?? (await this.readModels.get(COLLECTIONS.deletedClusters, clusterId)) ?? event;
  }

  private async ofOwnHosts(caller: Caller, query: ListEventsQuery): Promise<ReadableEvents> {
    if (caller.role !== 'user') return { query };
    const clusterId = query.cluster_id?.toLowerCase();
    const infraEnvId = query.infra_env_id?.toLowerCase();
    // Only events of the cluster are listed, also those of its removed hosts and infra-envs.
    await this.ownership.requireVisible(caller, clusterId ? { clusterId } : { infraEnvId });
    if (clusterId) return { query };
    const hosts = new Map<string, string[]>();
    for (const hostId of hostIdsOf(query))
      for (const infraEnvId of await this.visibleInfraEnvs(caller, hostId)) {
        const ids = hosts.get(infraEnvId) ?? [];
        ids.push(hostId);
        hosts.set(infraEnvId, ids);
      }
    return { query, hosts };
  }

  /** Returns the infra-envs in which the caller may read a host with that id. */
  private async visibleInfraEnvs(caller: Caller, hostId: string): Promise<readonly string[]> {
    const where = { id: hostId };
    const hosts = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
    const visible: string[] = [];
    for (const { document } of hosts)
      if (await this.sees(caller, hostId, document.infra_env_id)) visible.push(document.infra_env_id);
    return visible;
  }

  private async sees(caller: Caller, hostId: string, infraEnvId: string): Promise<boolean> {
    try {
      await this.ownership.requireVisible(caller, { hostId, infraEnvId });
      return true;
    } catch (error) {
      if (error instanceof RefusalError && error.refusal.code === 'not-found') return false;
      throw error;
    }
  }

  private async isOfInfraEnv(infraEnvId: string, query: ListEventsQuery): Promise<boolean> {
    const hostIds = hostIdsOf(query);
    // The hosts must belong to the infra-env of the token.
    if (hostIds.length === 0) return query.infra_env_id?.toLowerCase() === infraEnvId;
    for (const hostId of hostIds) {
      if (!(await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId)))) return false;
    }
    return true;
  }
}

const ownerOf = ({ user_name: user, cluster_id: clusterId = '', host_id: hostId = '' }: EventDocument): string =>
  `${clusterId} ${user} ${hostId !== ''}`;

const isOfSomething = (query: ListEventsQuery): boolean =>
  Boolean(query.cluster_id) || Boolean(query.infra_env_id) || hostIdsOf(query).length > 0;

@Controller('v2/events')
export class EventsController {
  constructor(
    private readonly pages: EventPages,
    private readonly visible: EventScopes,
    private readonly commands: Commands,
    private readonly rates: RequestRates,
  ) {}

  @Get()
  @AnswersText('List events, oldest first by default.', Type.Array(V2_EVENT), {
    headers: EVENT_COUNT_HEADERS,
    refersToOthers: true,
  })
  @Accepts('userAuth', 'urlAuth', 'watcherAuth')
  @FiltersList('hostIds')
  async listEvents(
    @Query() query: ListEventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JsonAnswer> {
    if (this.visible.hasNothingToShow(request.caller, query)) {
      void reply.headers(toCountHeaders(query, new Map()));
      return jsonPieces(await this.pages.text([]));
    }
    const readable = await this.visible.readable(request.caller, query);
    const { events, counts } = await this.pages.read(readable.query, readable.hosts);
    void reply.headers(toCountHeaders(query, counts));
    return jsonPieces(await this.pages.text(events, await this.visible.originsShownTo(request.caller, events)));
  }

  @Post()
  @HttpCode(201)
  @AnswersNothing('Add an event to the event log.', { refersToOthers: true })
  @Accepts('agentAuth')
  @ReachesHostsOfCluster()
  async triggerEvent(
    @Body() body: TriggerEventBody,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    this.rates.countEvent(caller);
    const note = {
      name: body.name ?? '',
      severity: body.severity,
      category: body.category ?? 'user',
      message: body.message,
      clusterId: body.cluster_id?.toLowerCase() ?? '',
      hostId: body.host_id?.toLowerCase() ?? '',
      infraEnvId: await this.visible.infraEnvOf(caller, body),
      props: parseEventProps(body.props),
    };
    await this.commands.send(EventsService.method.recordNote, { note }, context);
  }
}
