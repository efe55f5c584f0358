import { Controller, Get, Inject } from '@nestjs/common';
import {
  choice,
  type ClusterJourney,
  decimal,
  FUNNEL_STEPS,
  type HostJourney,
  JOURNEY_COLLECTIONS,
  list,
  orNull,
  record,
  type Static,
  text,
  time,
  uuid,
} from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { READ_MODELS, CLOCK } from '@muster/nest-kit';
import type { Clock, ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { HostViews } from '../../views/host-views';
import { OWN_API } from '../muster-api';
import { stageSpans, statusSpans } from './spans';

const SPAN = record('span', { name: text(), from: time(), to: orNull(time()), seconds: decimal() });

const TIMELINE = record('timeline', {
  steps: list(record('timeline-step', { step: choice(FUNNEL_STEPS), at: time() })),
  statuses: list(SPAN),
  finalizing_stages: list(SPAN),
  failures: list(
    record('timeline-failure', {
      at: time(),
      kind: choice(['failed', 'cancelled', 'preparation-failed']),
      step: choice(FUNNEL_STEPS),
      stage: text(),
      reason: text(),
    }),
  ),
  hosts: list(record('host-timeline', { id: uuid(), name: text(), statuses: list(SPAN), stages: list(SPAN) })),
});
type Timeline = Static<typeof TIMELINE>;

/** Where a cluster's time went: its phases, its hosts' stages, and what failed. */
@Controller(`${OWN_API}/clusters/:cluster_id/timeline`)
export class ShowTimelineController {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
  ) {}

  @Get()
  @Answers('Shows how long a cluster was in each phase and its hosts in each stage, and what failed.', TIMELINE)
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string): Promise<Timeline> {
    await this.clusters.document(clusterId);
    const journey = await this.journey<ClusterJourney>(JOURNEY_COLLECTIONS.clusters, clusterId);
    if (!journey) throw new RefusalError({ code: 'not-found', reason: NO_JOURNEY, subject: clusterId });
    const now = new Date(this.clock.nowMs()).toISOString();
    const { steps, statuses, finalizing_stages: finalizing, failures } = journey;
    return {
      steps: FUNNEL_STEPS.flatMap((step) => (steps[step] ? [{ step, at: steps[step] }] : [])),
      statuses: statusSpans(statuses, now),
      finalizing_stages: stageSpans(finalizing, statuses, now),
      failures,
      hosts: await this.hostTimelines(clusterId, now),
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
      const journey = await this.journey<HostJourney>(JOURNEY_COLLECTIONS.hosts, hostKeyOf(infraEnvId, id));
      if (!journey) continue;
      const { statuses, stages } = journey;
      const spans = { statuses: statusSpans(statuses, now), stages: stageSpans(stages, statuses, now) };
      timelines.push({ id, name: given || reported || id, ...spans });
    }
    return timelines;
  }

  private async journey<Document>(collection: string, key: string): Promise<Document | undefined> {
    return (await this.readModels.get(collection, key)) as unknown as Document | undefined;
  }
}

const NO_JOURNEY = 'Nothing is known of how this cluster came about: it was imported, or only takes hosts of day 2.';
