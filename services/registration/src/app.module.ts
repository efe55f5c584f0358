import { keptEntries, type SavedConsumer } from '@muster/event-sourcing';
import {
  createReportReader,
  DocumentWorkers,
  type Platform,
  platformProviders,
  ReactorHost,
  READ_REPORT,
  Readiness,
  SAVED,
  savedViews,
} from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentUpgrades } from './agents/agent-upgrades';
import { BusRevocations } from './agents/bus-revocations';
import { BusCredentials, Nudges } from './agents/host-bus';
import { NextSteps } from './agents/next-steps';
import { IdentityClaims, Presence } from './agents/presence';
import { StepContexts } from './agents/step-contexts';
import { StepFailures } from './agents/step-failures';
import { HostClocks, Reports, StepReplies } from './agents/step-replies';
import { UnchangedInventories } from './agents/unchanged-inventories';
import { Aggregates } from './aggregates';
import { ClusterActions, Propagation } from './clusters/cluster-actions';
import { ClusterProcess, RoleSuggestions } from './clusters/cluster-process';
import { ClustersController } from './clusters/clusters.controller';
import { CONFIG, readConfig, type RegistrationConfig } from './config';
import { HostProcess, InstallationDisks } from './hosts/host-process';
import { HostBinding, HostRegistration } from './hosts/host-registration';
import { HostRevision } from './hosts/host-revision';
import { HostsController } from './hosts/hosts.controller';
import { InfraEnvsController } from './infra-envs.controller';
import { Deadlines } from './reactions/deadlines';
import { Evaluations } from './reactions/evaluations';
import { ReactionTracker } from './reactions/reaction-keys';
import { AwaitReactionController, RegistrationProcess } from './reactions/registration-process';
import { GivenDocuments, GivenProxies, HostSecretVault, SealingCommands } from './sealed-secrets';
import { RegistrationView } from './view/registration-view';
import { CLUSTERS, HOSTS, INFRA_ENVS, VIEW_VERSION } from './view/view-entries';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [ClustersController, HostsController, InfraEnvsController, AwaitReactionController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        {
          provide: READ_REPORT,
          useFactory: (workers: DocumentWorkers, { keepsVirtualInterfaces }: RegistrationConfig) =>
            createReportReader(workers, keepsVirtualInterfaces),
          inject: [DocumentWorkers, CONFIG],
        },
        Readiness,
        ReactorHost,
        Aggregates,
        savedViews('registration', VIEW_VERSION, [HOSTS, CLUSTERS, INFRA_ENVS]),
        {
          provide: RegistrationView,
          inject: [SAVED],
          useFactory: (saved: SavedConsumer) =>
            new RegistrationView(keptEntries(saved), saved.position('registration')),
        },
        ReactionTracker,
        ClusterActions,
        ClusterProcess,
        Evaluations,
        Propagation,
        RoleSuggestions,
        HostBinding,
        HostProcess,
        HostRegistration,
        HostRevision,
        InstallationDisks,
        AgentUpgrades,
        BusCredentials,
        BusRevocations,
        HostClocks,
        IdentityClaims,
        NextSteps,
        Nudges,
        Presence,
        Reports,
        StepContexts,
        StepFailures,
        StepReplies,
        UnchangedInventories,
        GivenProxies,
        GivenDocuments,
        HostSecretVault,
        SealingCommands,
        Deadlines,
        RegistrationProcess,
      ],
    };
  }
}
