import { Controller, Get, Inject } from '@nestjs/common';
import {
  choice,
  type ClusterJourney,
  decimal,
  FUNNEL_STEPS,
  FunnelQuery,
  JOURNEY_COLLECTIONS,
  list,
  orNull,
  record,
  type Static,
  text,
  time,
  whole,
} from '@muster/assisted-api';
import { READ_MODELS, CLOCK } from '@muster/nest-kit';
import type { Clock, ReadModels } from '@muster/ports';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { findAll } from '../../views/documents';
import { OWN_API } from '../muster-api';
import { FunnelCount } from './funnel';
import { funnelWindow } from './funnel-window';

const STEP = record('funnel-step', {
  step: choice(FUNNEL_STEPS),
  reached: whole(),
  conversion: orNull(decimal({ minimum: 0, maximum: 1 })),
  median_seconds: orNull(decimal()),
  p90_seconds: orNull(decimal()),
});

const FAILURE = record('funnel-failure', {
  kind: choice(['failed', 'cancelled', 'preparation-failed']),
  step: choice(FUNNEL_STEPS),
  stage: text(),
  reason: text(),
  count: whole(),
});

/** Counts are of clusters; `steps` in the order of the way, `failures` most frequent first. */
const FUNNEL = record('funnel', {
  from: time(),
  to: time(),
  clusters: whole(),
  open: whole(),
  installed: whole(),
  failed: whole(),
  cancelled: whole(),
  steps: list(STEP),
  failures: list(FAILURE),
});
type PresentedFunnel = Static<typeof FUNNEL>;

/** How far the clusters of everyone came that were created in a window of time, and where they failed. */
@Controller(`${OWN_API}/funnel`)
export class ShowFunnelController {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Answers('Counts how far clusters came, how long each step took them, and where they failed.', FUNNEL)
  @OnlyRoles('admin', 'read-only-admin')
  @Accepts('userAuth')
  async handle(@QueryOf(FunnelQuery) query: FunnelQuery): Promise<PresentedFunnel> {
    const { from, to, days } = funnelWindow(query, this.clock.nowMs());
    const { openshift_version, platform, topology } = query;
    const chosen = Object.entries({ openshift_version, platform, topology }).filter(([, value]) => value !== undefined);
    const where = { day: days, ...(Object.fromEntries(chosen) as Record<string, string>) };
    const count = new FunnelCount();
    for await (const journey of findAll<ClusterJourney>(this.readModels, {
      collection: JOURNEY_COLLECTIONS.clusters,
      where,
    })) {
      const createdAt = journey.steps['cluster-created'] ?? '';
      if (createdAt >= from && createdAt < to) count.add(journey);
    }
    return { from, to, ...count.figures() };
  }
}
