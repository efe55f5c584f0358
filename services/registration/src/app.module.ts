import { DocumentWorkers, type Platform, platformProviders, Readiness, ReactorHost } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { AgentUpgrades } from './agents/agent-upgrades';
import { BusCredentials } from './agents/bus-credentials';
import { HostClocks } from './agents/host-clocks';
import { IdentityClaims } from './agents/identity-claims';
import { NextSteps } from './agents/next-steps';
import { Nudges } from './agents/nudges';
import { Presence } from './agents/presence';
import { Reports } from './agents/reports';
import { StepContexts } from './agents/step-contexts';
import { StepReplies } from './agents/step-replies';
import { Aggregates } from './aggregates/aggregates';
import { ClusterActions } from './clusters/cluster-actions';
import { ClusterProcess } from './clusters/cluster-process';
import { ClustersController } from './clusters/clusters.controller';
import { Propagation } from './clusters/propagation';
import { RoleSuggestions } from './clusters/role-suggestions';
import { CONFIG, readConfig } from './config';
import { HostBinding } from './hosts/host-binding';
import { HostProcess } from './hosts/host-process';
import { HostRegistration } from './hosts/host-registration';
import { HostRevision } from './hosts/host-revision';
import { HostsController } from './hosts/hosts.controller';
import { InstallationDisks } from './hosts/installation-disks';
import { InfraEnvsController } from './infra-envs/infra-envs.controller';
import { Deadlines } from './reactions/deadlines';
import { RegistrationProcess } from './reactions/registration-process';
import { GivenProxies } from './secrets/given-proxies';
import { HostSecretVault } from './secrets/host-secrets';
import { SealingCommands } from './secrets/sealing-commands';
import { ReactionTracker } from './view/reaction-tracker';
import { RegistrationView } from './view/registration-view';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [ClustersController, HostsController, InfraEnvsController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        Readiness,
        ReactorHost,
        Aggregates,
        RegistrationView,
        ReactionTracker,
        ClusterActions,
        ClusterProcess,
        Propagation,
        RoleSuggestions,
        HostBinding,
        HostProcess,
        HostRegistration,
        HostRevision,
        InstallationDisks,
        AgentUpgrades,
        BusCredentials,
        HostClocks,
        IdentityClaims,
        NextSteps,
        Nudges,
        Presence,
        Reports,
        StepContexts,
        StepReplies,
        GivenProxies,
        HostSecretVault,
        SealingCommands,
        Deadlines,
        RegistrationProcess,
      ],
    };
  }
}
