import { type Platform, Readiness, platformProviders } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { Aggregates } from './aggregates/aggregates';
import { AllowAddHostsController } from './clusters/allow-add-hosts.controller';
import { CancelInstallationController } from './clusters/cancel-installation.controller';
import { ClusterInstallation } from './clusters/cluster-installation';
import { ClusterLifecycle } from './clusters/cluster-lifecycle';
import { DeregisterClusterController } from './clusters/deregister-cluster.controller';
import { InstallClusterController } from './clusters/install-cluster.controller';
import { ReachFinalizingStageController } from './clusters/reach-finalizing-stage.controller';
import { RecordClusterLogsController } from './clusters/record-cluster-logs.controller';
import { RegisterClusterController } from './clusters/register-cluster.controller';
import { ReportOperatorStatusController } from './clusters/report-operator-status.controller';
import { ResetClusterController } from './clusters/reset-cluster.controller';
import { ReviseClusterController } from './clusters/revise-cluster.controller';
import { CONFIG, readConfig } from './config';
import { BindHostController } from './hosts/bind-host.controller';
import { ConnectivityTurns } from './agents/connectivity-rounds';
import { DeregisterHostController } from './hosts/deregister-host.controller';
import { HostClocks } from './agents/host-clocks';
import { HostBinding } from './hosts/host-binding';
import { HostRegistration } from './hosts/host-registration';
import { HostRevision } from './hosts/host-revision';
import { IdentityClaims } from './agents/identity-claims';
import { InstallHostController } from './hosts/install-host.controller';
import { NextStepsController } from './hosts/next-steps.controller';
import { RecordHostLogsController } from './hosts/record-host-logs.controller';
import { RegisterHostController } from './hosts/register-host.controller';
import { ReplyToStepController } from './hosts/reply-to-step.controller';
import { ReportHostProgressController } from './hosts/report-host-progress.controller';
import { ResetHostController } from './hosts/reset-host.controller';
import { ResetHostValidationController } from './hosts/reset-host-validation.controller';
import { ReviseHostController } from './hosts/revise-host.controller';
import { StepContexts } from './agents/step-contexts';
import { StepReplies } from './agents/step-replies';
import { UnbindHostController } from './hosts/unbind-host.controller';
import { DeregisterInfraEnvController } from './infra-envs/deregister-infra-env.controller';
import { RegisterInfraEnvController } from './infra-envs/register-infra-env.controller';
import { ReviseInfraEnvController } from './infra-envs/revise-infra-env.controller';
import { RotateSigningKeyController } from './infra-envs/rotate-signing-key.controller';
import { ClusterProcess } from './clusters/cluster-process';
import { Deadlines } from './reactions/deadlines';
import { FollowUp } from './clusters/propagation';
import { HostProcess } from './hosts/host-process';
import { InstallationDisks } from './hosts/installation-disks';
import { Nudges } from './agents/nudges';
import { Presence } from './agents/presence';
import { RegistrationProcess } from './reactions/registration-process';
import { RegistrationView } from './view/registration-view';
import { RoleProcess } from './clusters/role-process';
import { AgentUpgrades } from './agents/agent-upgrades';
import { HostSecretVault } from './secrets/host-secrets';
import { GivenProxies } from './secrets/given-proxies';
import { SealingCommands } from './secrets/sealing-commands';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        RegisterClusterController,
        ReviseClusterController,
        DeregisterClusterController,
        InstallClusterController,
        CancelInstallationController,
        ResetClusterController,
        AllowAddHostsController,
        ReachFinalizingStageController,
        ReportOperatorStatusController,
        RecordClusterLogsController,
        RegisterInfraEnvController,
        ReviseInfraEnvController,
        RotateSigningKeyController,
        DeregisterInfraEnvController,
        RegisterHostController,
        NextStepsController,
        ReplyToStepController,
        ReportHostProgressController,
        RecordHostLogsController,
        ReviseHostController,
        BindHostController,
        UnbindHostController,
        ResetHostController,
        ResetHostValidationController,
        InstallHostController,
        DeregisterHostController,
      ],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        Readiness,
        Aggregates,
        RegistrationView,
        HostProcess,
        RoleProcess,
        InstallationDisks,
        ClusterProcess,
        FollowUp,
        Presence,
        Deadlines,
        Nudges,
        RegistrationProcess,
        ClusterLifecycle,
        ClusterInstallation,
        GivenProxies,
        SealingCommands,
        AgentUpgrades,
        HostSecretVault,
        HostRegistration,
        HostRevision,
        HostBinding,
        ConnectivityTurns,
        HostClocks,
        IdentityClaims,
        StepContexts,
        StepReplies,
      ],
    };
  }
}
