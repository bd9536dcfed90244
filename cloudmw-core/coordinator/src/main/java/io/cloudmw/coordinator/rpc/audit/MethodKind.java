package io.cloudmw.coordinator.rpc.audit;

import io.cloudmw.proto.v1.BackupGrpc;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.EditingGrpc;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.GrantsGrpc;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.cloudmw.proto.v1.LocksGrpc;
import io.cloudmw.proto.v1.PeersGrpc;
import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.RevocationsGrpc;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.grpc.MethodDescriptor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The effect of a method's calls on a cluster. */
enum MethodKind {
    /** Changes of volumes, stores, snapshots or upkeep; each call is logged. */
    ADMINISTRATIVE,
    /** Changes of files and their replicas. */
    DATA,
    /** Reads, which change nothing. */
    READ,
    /** Reports of the cluster's processes about themselves. */
    FLEET;

    private static final Map<String, MethodKind> KINDS = kinds();

    private static Map<String, MethodKind> kinds() {
        Map<String, MethodKind> kinds = new HashMap<>();
        add(
                kinds,
                ADMINISTRATIVE,
                CoordinatorGrpc.getCreateVolumeMethod(),
                CoordinatorGrpc.getChangeVolumeMethod(),
                CoordinatorGrpc.getDeleteVolumeMethod(),
                CoordinatorGrpc.getAddStoreMethod(),
                CoordinatorGrpc.getRemoveStoreMethod(),
                CoordinatorGrpc.getLoseStoreMethod(),
                CoordinatorGrpc.getReplaceStoreMethod(),
                SnapshotsGrpc.getCreateSnapshotMethod(),
                SnapshotsGrpc.getRemoveSnapshotMethod(),
                StoreAccessGrpc.getSetCredentialsMethod(),
                GrantsGrpc.getChangeGrantMethod(),
                GrantsGrpc.getChangeRoleMethod(),
                GrantsGrpc.getCreateTokenMethod(),
                GrantsGrpc.getRevokeTokenMethod(),
                StoreAccessGrpc.getSetEncryptionMethod(),
                UpkeepGrpc.getDrainMethod(),
                UpkeepGrpc.getCollectMethod(),
                UpkeepGrpc.getEndCollectionMethod(),
                UpkeepGrpc.getBeginRoundMethod(),
                UpkeepGrpc.getEndRoundMethod());
        add(
                kinds,
                DATA,
                CoordinatorGrpc.getBeginPutMethod(),
                CoordinatorGrpc.getPlaceChunksMethod(),
                CoordinatorGrpc.getPutSegmentMethod(),
                CoordinatorGrpc.getCommitPutMethod(),
                CoordinatorGrpc.getSetAttributesMethod(),
                CoordinatorGrpc.getRemoveMethod(),
                CoordinatorGrpc.getRenameMethod(),
                SmallFilesGrpc.getCommitFilesMethod(),
                EditingGrpc.getBeginEditMethod(),
                EntriesGrpc.getCreateDirectoryMethod(),
                EntriesGrpc.getRemoveDirectoryMethod(),
                EntriesGrpc.getCopyFileMethod(),
                LocksGrpc.getAcquireLockMethod(),
                LocksGrpc.getRenewLockMethod(),
                LocksGrpc.getReleaseLockMethod(),
                SnapshotsGrpc.getRestoreFileMethod());
        add(
                kinds,
                READ,
                CoordinatorGrpc.getGetVolumeMethod(),
                CoordinatorGrpc.getListVolumesMethod(),
                CoordinatorGrpc.getListStoresMethod(),
                CoordinatorGrpc.getListHelpersMethod(),
                CoordinatorGrpc.getViewFleetMethod(),
                CoordinatorGrpc.getPlanReadMethod(),
                CoordinatorGrpc.getGetSegmentMethod(),
                CoordinatorGrpc.getStatMethod(),
                CoordinatorGrpc.getListMethod(),
                CoordinatorGrpc.getListUnderReplicatedMethod(),
                SmallFilesGrpc.getStatFilesMethod(),
                EntriesGrpc.getGetEntryMethod(),
                SnapshotsGrpc.getListSnapshotsMethod(),
                SnapshotsGrpc.getStatInMethod(),
                SnapshotsGrpc.getListInMethod(),
                SnapshotsGrpc.getGetEntryInMethod(),
                StoreAccessGrpc.getCheckStoresMethod(),
                UpkeepGrpc.getGetStatusMethod(),
                UpkeepGrpc.getGetRoundMethod(),
                UpkeepGrpc.getGetCollectionMethod(),
                PeersGrpc.getFindPeersMethod(),
                GrantsGrpc.getWhoAmIMethod(),
                GrantsGrpc.getListSubjectsMethod(),
                ChangeFeedGrpc.getWatchMethod(),
                BackupGrpc.getExportMethod());
        add(
                kinds,
                FLEET,
                CoordinatorGrpc.getRegisterHelperMethod(),
                CoordinatorGrpc.getHeartbeatMethod(),
                CoordinatorGrpc.getReportReplicasMethod(),
                StoreAccessGrpc.getListBucketsMethod(),
                UpkeepGrpc.getWorkMethod(),
                PeersGrpc.getAnnounceMethod(),
                RecordingGrpc.getReportReadMethod(),
                RevocationsGrpc.getFollowRevocationsMethod(),
                IdentitiesGrpc.getEnrolMethod());
        return Map.copyOf(kinds);
    }

    private static void add(Map<String, MethodKind> kinds, MethodKind kind, MethodDescriptor<?, ?>... methods) {
        for (MethodDescriptor<?, ?> method : methods) {
            kinds.put(method.getFullMethodName(), kind);
        }
    }

    /** Returns the full names of the classified methods. */
    static Set<String> known() {
        return KINDS.keySet();
    }

    /** Returns the kind of a method. An unclassified method counts as administrative, so that it is logged. */
    static MethodKind of(String fullMethodName) {
        return KINDS.getOrDefault(fullMethodName, ADMINISTRATIVE);
    }
}
