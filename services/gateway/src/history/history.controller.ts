import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type ClusterDocument,
  type ClusterJourney,
  FUNNEL_STEPS,
  FunnelQuery,
  type HostDocument,
  JOURNEY_COLLECTIONS,
  Nullable,
  PastQuery,
  type Static,
  StringEnum,
  V2_CLUSTER,
} from '@muster/assisted-api';
import { EventsService, hostKeyOf } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { CLOCK } from '@muster/nest-kit';
import { type Clock, isoTime } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { createJsonReader, holds, memberAt, onlyPresent, textAt } from '@muster/schema';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersText } from '../api-document/answers.decorator';
import { Accepts, type Caller, OnlyRoles } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { IdPipe } from '../http/request.pipes';
import { MUSTER_API } from '../http/routes';
import { ClusterViews } from '../views/cluster-views';
import { findAll, GatewayReadModels } from '../views/documents';
import { HostViews } from '../views/host-views';
import { FunnelCount, funnelWindow, stageSpans, statusSpans } from './funnel';

const unpacked = promisify(gunzip);

/** Maximum size of one unpacked reply of the events service. */
const PAST_MAX_BYTES = 256 * 1024 * 1024;

const SPAN = Type.Object(
  {
    name: Type.String(),
    from: Type.String({ format: 'date-time' }),
    to: Nullable(Type.String({ format: 'date-time' })),
    seconds: Type.Number(),
  },
  { title: 'span' },
);

const TIMELINE = Type.Object(
  {
    steps: Type.Array(
      Type.Object(
        { step: StringEnum(FUNNEL_STEPS), at: Type.String({ format: 'date-time' }) },
        { title: 'timeline-step' },
      ),
    ),
    statuses: Type.Array(SPAN),
    finalizing_stages: Type.Array(SPAN),
    failures: Type.Array(
      Type.Object(
        {
          at: Type.String({ format: 'date-time' }),
          kind: StringEnum(['failed', 'cancelled', 'preparation-failed']),
          step: StringEnum(FUNNEL_STEPS),
          stage: Type.String(),
          reason: Type.String(),
        },
        { title: 'timeline-failure' },
      ),
    ),
    hosts: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          statuses: Type.Array(SPAN),
          stages: Type.Array(SPAN),
        },
        { title: 'host-timeline' },
      ),
    ),
  },
  { title: 'timeline' },
);

type Timeline = Static<typeof TIMELINE>;

const STEP = Type.Object(
  {
    step: StringEnum(FUNNEL_STEPS),
    reached: Type.Integer(),
    conversion: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    median_seconds: Nullable(Type.Number()),
    p90_seconds: Nullable(Type.Number()),
  },
  { title: 'funnel-step' },
);

const FAILURE = Type.Object(
  {
    kind: StringEnum(['failed', 'cancelled', 'preparation-failed']),
    step: StringEnum(FUNNEL_STEPS),
    stage: Type.String(),
    reason: Type.String(),
    count: Type.Integer(),
  },
  { title: 'funnel-failure' },
);

/** Numbers are counts of clusters. `steps` are in the order of the installation, `failures` most frequent first. */
const FUNNEL = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    clusters: Type.Integer(),
    open: Type.Integer(),
    installed: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
    deleted: Type.Integer(),
    steps: Type.Array(STEP),
    failures: Type.Array(FAILURE),
  },
  { title: 'funnel' },
);

type PresentedFunnel = Static<typeof FUNNEL>;

const isClusterDocument = (value: unknown): value is ClusterDocument =>
  typeof memberAt(value, '_position') === 'number' && textAt(value, 'status') !== undefined;
const isHostDocument = (value: unknown): value is HostDocument =>
  typeof memberAt(value, '_position') === 'number' && textAt(value, 'infra_env_id') !== undefined;

/** The documents as the service `events` sends them: its own, folded from the store. */
const readPast = createJsonReader(
  Type.Object({
    cluster: holds(isClusterDocument, 'the document of a cluster'),
    hosts: Type.Array(holds(isHostDocument, 'the document of a host')),
    compacted_until: Type.Optional(Type.String()),
  }),
  { name: 'the past' },
);

/** A cluster of the v2 API at a point in time. */
const PAST_CLUSTER = Type.Object(
  { ...V2_CLUSTER.properties, compacted_until: Type.Optional(Type.String({ format: 'date-time' })) },
  { title: 'past-cluster' },
);

@Controller(MUSTER_API)
export class HistoryController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
    private readonly readModels: GatewayReadModels,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly ownership: Ownership,
  ) {}

  /** A cluster and its hosts at an earlier point in time. */
  @Get('clusters/:cluster_id')
  @AnswersText('Show a cluster and its hosts as they were at a point in time.', PAST_CLUSTER)
  @Accepts('userAuth')
  async showPastCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { at }: PastQuery,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<JsonAnswer> {
    // Access to the cluster gives access to its history.
    const isReader = !(await this.ownership.permitsWrite(caller, await this.clusters.document(clusterId)));
    if (at === undefined) return this.clusters.show(clusterId, { withHosts: true, isReader: async () => isReader });
    const { documents } = await this.commands.send(EventsService.method.readPast, { clusterId, at }, context);
    const text = await unpacked(Buffer.from(documents, 'base64'), { maxOutputLength: PAST_MAX_BYTES });
    const past = readPast(text.toString());
    const members = onlyPresent({ compacted_until: past.compacted_until });
    return jsonPieces(await this.clusters.pastText(past.cluster, past.hosts, members, isReader));
  }

  /** Durations of the phases of a cluster and of the stages of its hosts, and the failures. */
  @Get('clusters/:cluster_id/timeline')
  @Answers('Show the time that a cluster spent in each phase and its hosts in each stage, and the failures.', TIMELINE)
  @Accepts('userAuth')
  async showTimeline(@Param('cluster_id', IdPipe) clusterId: string): Promise<Timeline> {
    await this.clusters.document(clusterId);
    const journey = await this.readModels.get(JOURNEY_COLLECTIONS.clusters, clusterId);
    const now = isoTime(this.clock.nowMs());
    const hosts = await this.hostTimelines(clusterId, now);
    await this.readModels.requireCompleteTimelines();
    if (!journey) throw new RefusalError({ code: 'not-found', reason: NO_JOURNEY, subject: clusterId });
    const { steps, statuses, finalizing_stages: finalizing, failures } = journey;
    return {
      steps: FUNNEL_STEPS.flatMap((step) => (steps[step] ? [{ step, at: steps[step] }] : [])),
      statuses: statusSpans(statuses, now),
      finalizing_stages: stageSpans(finalizing, statuses, now),
      failures,
      hosts,
    };
  }

  private async hostTimelines(clusterId: string, now: string): Promise<Timeline['hosts']> {
    const timelines: Timeline['hosts'][number][] = [];
    for (const {
      id,
      infra_env_id: infraEnvId,
      requested_hostname: given,
      _reported_hostname: reported,
    } of await this.hosts.documentsOfCluster(clusterId)) {
      const journey = await this.readModels.get(JOURNEY_COLLECTIONS.hosts, hostKeyOf(infraEnvId, id));
      if (!journey) continue;
      const { statuses, stages } = journey;
      const spans = { statuses: statusSpans(statuses, now), stages: stageSpans(stages, statuses, now) };
      timelines.push({ id, name: given || reported || id, ...spans });
    }
    return timelines;
  }

  /**
   * Counts the clusters of all owners that were created in a window of time by the step that they reached, and their
   * failures.
   */
  @Get('funnel')
  @Answers('Show the installation funnel: clusters per step, durations and failures.', FUNNEL)
  @OnlyRoles('admin', 'read-only-admin')
  @Accepts('userAuth')
  async showFunnel(@Query() query: FunnelQuery): Promise<PresentedFunnel> {
    const { from, to, days } = funnelWindow(query, this.clock.nowMs());
    const { openshift_version, platform, topology } = query;
    const where = { day: days, ...onlyPresent({ openshift_version, platform, topology }) };
    const count = new FunnelCount();
    const pages = findAll<ClusterJourney>(this.readModels, { collection: JOURNEY_COLLECTIONS.clusters, where });
    for await (const page of pages)
      for (const journey of page) {
        const createdAt = journey.steps['cluster-created'] ?? '';
        if (createdAt >= from && createdAt < to) count.add(journey);
      }
    await this.readModels.requireCompleteTimelines();
    return { from, to, ...count.figures() };
  }
}

const NO_JOURNEY = 'The cluster has no timeline: it was imported or only adds day-2 hosts.';
