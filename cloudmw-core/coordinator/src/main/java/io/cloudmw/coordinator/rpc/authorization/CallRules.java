package io.cloudmw.coordinator.rpc.authorization;

import static io.cloudmw.core.grant.Right.ADMIN;
import static io.cloudmw.core.grant.Right.READ;
import static io.cloudmw.core.grant.Right.WRITE;

import com.google.protobuf.Message;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.Anywhere;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.HelperItself;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.InCluster;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.InVolume;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.Known;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.Member;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.Sees;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.ToPath;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Right;
import io.cloudmw.proto.v1.AcquireLockRequest;
import io.cloudmw.proto.v1.BackupGrpc;
import io.cloudmw.proto.v1.BeginEditRequest;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.ChangeVolumeRequest;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CopyFileRequest;
import io.cloudmw.proto.v1.CreateDirectoryRequest;
import io.cloudmw.proto.v1.CreateSnapshotRequest;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.EditingGrpc;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.ExportRequest;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.GetEntryInRequest;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.GetSegmentRequest;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GrantsGrpc;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.cloudmw.proto.v1.ListInRequest;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListSnapshotsRequest;
import io.cloudmw.proto.v1.LocksGrpc;
import io.cloudmw.proto.v1.PeersGrpc;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.ReleaseLockRequest;
import io.cloudmw.proto.v1.RemoveDirectoryRequest;
import io.cloudmw.proto.v1.RemoveRequest;
import io.cloudmw.proto.v1.RemoveSnapshotRequest;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.RenewLockRequest;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.RestoreFileRequest;
import io.cloudmw.proto.v1.RevocationsGrpc;
import io.cloudmw.proto.v1.SetAttributesRequest;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StatFilesRequest;
import io.cloudmw.proto.v1.StatInRequest;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.WatchRequest;
import io.cloudmw.proto.v1.WorkRequest;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The table of what each method of the coordinator needs. A test compares it with the protocol's methods. Immutable; safe
 * for any thread.
 */
final class CallRules {
    private static final String ROOT = "/";
    private static final Map<String, Function<Message, List<CallNeed>>> RULES = rules();

    private CallRules() {}

    /** Returns the full names of the methods that have a rule. */
    static Set<String> known() {
        return RULES.keySet();
    }

    /** Returns what a call needs; empty: the method has no rule, and nobody may call it. */
    static Optional<List<CallNeed>> of(String fullMethodName, Message request) {
        return Optional.ofNullable(RULES.get(fullMethodName)).map(rule -> rule.apply(request));
    }

    private static Map<String, Function<Message, List<CallNeed>>> rules() {
        Map<String, Function<Message, List<CallNeed>>> rules = new HashMap<>();
        addVolumes(rules);
        addFiles(rules);
        addSnapshots(rules);
        addCluster(rules);
        addMembers(rules);
        addSubjects(rules);
        return Map.copyOf(rules);
    }

    private static void addVolumes(Map<String, Function<Message, List<CallNeed>>> rules) {
        always(rules, new InCluster(ClusterRole.OPERATOR), CoordinatorGrpc.getCreateVolumeMethod());
        // Answers name only the volumes that the caller sees.
        always(rules, new Known(), CoordinatorGrpc.getListVolumesMethod());
        add(
                rules,
                CoordinatorGrpc.getGetVolumeMethod(),
                GetVolumeRequest.class,
                request -> request.hasPlace()
                        ? List.of(new Sees(request.getName()), placed(request.getPlace()))
                        : List.of(new Sees(request.getName())));
        add(
                rules,
                CoordinatorGrpc.getChangeVolumeMethod(),
                ChangeVolumeRequest.class,
                request -> List.of(new ToPath(ADMIN, request.getName(), ROOT)));
        add(
                rules,
                CoordinatorGrpc.getDeleteVolumeMethod(),
                DeleteVolumeRequest.class,
                request -> List.of(new ToPath(ADMIN, request.getName(), ROOT)));
        add(
                rules,
                BackupGrpc.getExportMethod(),
                ExportRequest.class,
                request -> List.of(new ToPath(ADMIN, request.getVolume(), ROOT)));
        add(
                rules,
                ChangeFeedGrpc.getWatchMethod(),
                WatchRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
    }

    private static void addFiles(Map<String, Function<Message, List<CallNeed>>> rules) {
        add(
                rules,
                CoordinatorGrpc.getBeginPutMethod(),
                BeginPutRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getPlaceChunksMethod(),
                PlaceChunksRequest.class,
                request -> List.of(placed(request)));
        // The id of an upload is a random number that only its uploader knows, and its commit is checked.
        always(rules, new Anywhere(WRITE), CoordinatorGrpc.getPutSegmentMethod());
        add(rules, CoordinatorGrpc.getCommitPutMethod(), CommitPutRequest.class, CallRules::commit);
        add(
                rules,
                CoordinatorGrpc.getPlanReadMethod(),
                PlanReadRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getGetSegmentMethod(),
                GetSegmentRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getStatMethod(),
                StatRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getListMethod(),
                ListRequest.class,
                request -> path(READ, request.getVolume(), request.getDirectory()));
        add(
                rules,
                CoordinatorGrpc.getSetAttributesMethod(),
                SetAttributesRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getRemoveMethod(),
                RemoveRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                CoordinatorGrpc.getRenameMethod(),
                RenameRequest.class,
                // Whoever moved a file to a place where he reads would read it.
                request -> List.of(
                        new ToPath(READ, request.getVolume(), request.getFromPath()),
                        new ToPath(WRITE, request.getVolume(), request.getFromPath()),
                        new ToPath(WRITE, request.getVolume(), request.getToPath())));
        add(
                rules,
                CoordinatorGrpc.getReportReplicasMethod(),
                ReportReplicasRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(rules, SmallFilesGrpc.getCommitFilesMethod(), CommitFilesRequest.class, CallRules::commit);
        add(rules, SmallFilesGrpc.getStatFilesMethod(), StatFilesRequest.class, CallRules::stat);
        add(
                rules,
                EditingGrpc.getBeginEditMethod(),
                BeginEditRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                EntriesGrpc.getGetEntryMethod(),
                GetEntryRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(
                rules,
                EntriesGrpc.getCreateDirectoryMethod(),
                CreateDirectoryRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                EntriesGrpc.getRemoveDirectoryMethod(),
                RemoveDirectoryRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                EntriesGrpc.getCopyFileMethod(),
                CopyFileRequest.class,
                request -> List.of(
                        new ToPath(READ, request.getVolume(), request.getFromPath()),
                        new ToPath(WRITE, request.getVolume(), request.getToPath())));
        add(
                rules,
                LocksGrpc.getAcquireLockMethod(),
                AcquireLockRequest.class,
                request -> path(request.getShared() ? READ : WRITE, request.getVolume(), request.getPath()));
        add(
                rules,
                LocksGrpc.getRenewLockMethod(),
                RenewLockRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
        add(
                rules,
                LocksGrpc.getReleaseLockMethod(),
                ReleaseLockRequest.class,
                request -> path(READ, request.getVolume(), request.getPath()));
    }

    /** The file itself, and the files whose chunks the new version shares. */
    private static List<CallNeed> commit(CommitPutRequest request) {
        List<CallNeed> needs = new ArrayList<>();
        needs.add(new ToPath(
                WRITE, request.getVersion().getVolume(), request.getVersion().getPath()));
        request.getPartsList()
                .forEach(part -> needs.add(new ToPath(READ, request.getVersion().getVolume(), part.getPath())));
        return needs;
    }

    private static List<CallNeed> commit(CommitFilesRequest request) {
        List<CallNeed> needs = new ArrayList<>();
        needs.add(new InVolume(WRITE, request.getVolume()));
        request.getFilesList()
                .forEach(file -> needs.add(
                        new ToPath(WRITE, request.getVolume(), file.getVersion().getPath())));
        if (request.hasPlace()) {
            needs.add(placed(request.getPlace()));
        }
        return needs;
    }

    private static List<CallNeed> stat(StatFilesRequest request) {
        List<CallNeed> needs = new ArrayList<>();
        needs.add(new InVolume(READ, request.getVolume()));
        request.getPathsList().forEach(path -> needs.add(new ToPath(READ, request.getVolume(), path)));
        return needs;
    }

    /** New chunks may be written for any path where the caller writes: the commit names the path. */
    private static CallNeed placed(PlaceChunksRequest request) {
        return new InVolume(WRITE, request.getVolume());
    }

    private static void addSnapshots(Map<String, Function<Message, List<CallNeed>>> rules) {
        add(
                rules,
                SnapshotsGrpc.getCreateSnapshotMethod(),
                CreateSnapshotRequest.class,
                request -> path(ADMIN, request.getVolume(), ROOT));
        add(
                rules,
                SnapshotsGrpc.getRemoveSnapshotMethod(),
                RemoveSnapshotRequest.class,
                request -> path(ADMIN, request.getVolume(), ROOT));
        add(
                rules,
                SnapshotsGrpc.getListSnapshotsMethod(),
                ListSnapshotsRequest.class,
                request -> path(READ, request.getVolume(), ROOT));
        add(
                rules,
                SnapshotsGrpc.getStatInMethod(),
                StatInRequest.class,
                request ->
                        path(READ, request.getOf().getVolume(), request.getOf().getPath()));
        add(
                rules,
                SnapshotsGrpc.getListInMethod(),
                ListInRequest.class,
                request ->
                        path(READ, request.getOf().getVolume(), request.getOf().getDirectory()));
        add(
                rules,
                SnapshotsGrpc.getGetEntryInMethod(),
                GetEntryInRequest.class,
                request ->
                        path(READ, request.getOf().getVolume(), request.getOf().getPath()));
        add(
                rules,
                SnapshotsGrpc.getRestoreFileMethod(),
                RestoreFileRequest.class,
                request -> path(WRITE, request.getVolume(), request.getPath()));
    }

    private static void addCluster(Map<String, Function<Message, List<CallNeed>>> rules) {
        always(
                rules,
                new InCluster(ClusterRole.OPERATOR),
                CoordinatorGrpc.getAddStoreMethod(),
                CoordinatorGrpc.getRemoveStoreMethod(),
                CoordinatorGrpc.getLoseStoreMethod(),
                CoordinatorGrpc.getReplaceStoreMethod(),
                StoreAccessGrpc.getSetCredentialsMethod(),
                StoreAccessGrpc.getSetEncryptionMethod(),
                StoreAccessGrpc.getCheckStoresMethod(),
                UpkeepGrpc.getDrainMethod(),
                UpkeepGrpc.getCollectMethod(),
                UpkeepGrpc.getEndCollectionMethod(),
                UpkeepGrpc.getBeginRoundMethod(),
                UpkeepGrpc.getEndRoundMethod());
        always(
                rules,
                new InCluster(ClusterRole.VIEWER),
                CoordinatorGrpc.getListStoresMethod(),
                CoordinatorGrpc.getListHelpersMethod(),
                CoordinatorGrpc.getViewFleetMethod(),
                CoordinatorGrpc.getListUnderReplicatedMethod(),
                UpkeepGrpc.getGetStatusMethod(),
                UpkeepGrpc.getGetCollectionMethod(),
                UpkeepGrpc.getGetRoundMethod());
    }

    private static void addMembers(Map<String, Function<Message, List<CallNeed>>> rules) {
        always(rules, new Member(), StoreAccessGrpc.getListBucketsMethod());
        add(
                rules,
                CoordinatorGrpc.getRegisterHelperMethod(),
                RegisterHelperRequest.class,
                request -> List.of(new HelperItself(request.getHelper().getId())));
        add(
                rules,
                CoordinatorGrpc.getHeartbeatMethod(),
                HeartbeatRequest.class,
                request -> List.of(new HelperItself(request.getHelperId())));
        add(
                rules,
                UpkeepGrpc.getWorkMethod(),
                WorkRequest.class,
                request -> List.of(new HelperItself(request.getHelperId())));
        add(
                rules,
                RevocationsGrpc.getFollowRevocationsMethod(),
                FollowRevocationsRequest.class,
                request -> List.of(new HelperItself(request.getHelperId())));
        // A search shows tokens of reads, and a report is of the caller's own read.
        always(
                rules,
                new Known(),
                PeersGrpc.getAnnounceMethod(),
                PeersGrpc.getFindPeersMethod(),
                RecordingGrpc.getReportReadMethod(),
                IdentitiesGrpc.getEnrolMethod());
    }

    /** The calls about subjects: what their changes need depends on the subject, and {@code Subjects} checks it. */
    private static void addSubjects(Map<String, Function<Message, List<CallNeed>>> rules) {
        always(
                rules,
                new Known(),
                GrantsGrpc.getWhoAmIMethod(),
                GrantsGrpc.getChangeGrantMethod(),
                GrantsGrpc.getChangeRoleMethod(),
                GrantsGrpc.getListSubjectsMethod(),
                GrantsGrpc.getCreateTokenMethod(),
                GrantsGrpc.getRevokeTokenMethod());
    }

    private static List<CallNeed> path(Right right, String volume, String path) {
        return List.of(new ToPath(right, volume, path));
    }

    private static void always(
            Map<String, Function<Message, List<CallNeed>>> rules, CallNeed need, MethodDescriptor<?, ?>... methods) {
        for (MethodDescriptor<?, ?> method : methods) {
            rules.put(method.getFullMethodName(), request -> List.of(need));
        }
    }

    private static <Q extends Message> void add(
            Map<String, Function<Message, List<CallNeed>>> rules,
            MethodDescriptor<Q, ?> method,
            Class<Q> type,
            Function<Q, List<CallNeed>> needs) {
        rules.put(method.getFullMethodName(), request -> needs.apply(type.cast(request)));
    }
}
