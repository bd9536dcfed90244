package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectCoverage;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.proto.v1.BeginRoundRequest;
import io.cloudmw.proto.v1.CollectFare;
import io.cloudmw.proto.v1.CollectRequest;
import io.cloudmw.proto.v1.CollectRoundFare;
import io.cloudmw.proto.v1.CompactTask;
import io.cloudmw.proto.v1.CopyTask;
import io.cloudmw.proto.v1.DeleteTask;
import io.cloudmw.proto.v1.DrainRequest;
import io.cloudmw.proto.v1.DrainResponse;
import io.cloudmw.proto.v1.GetStatusResponse;
import io.cloudmw.proto.v1.LookTask;
import io.cloudmw.proto.v1.OrderedRoundFare;
import io.cloudmw.proto.v1.RepairFare;
import io.cloudmw.proto.v1.ReplacedFare;
import io.cloudmw.proto.v1.RoundFare;
import io.cloudmw.proto.v1.ScrubFare;
import io.cloudmw.proto.v1.StoreFare;
import io.cloudmw.proto.v1.SurveyTask;
import io.cloudmw.proto.v1.VerifyTask;
import io.cloudmw.proto.v1.WorkRequest;
import io.cloudmw.proto.v1.WorkResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** The messages of upkeep, both ways. A malformed message fails with {@code INVALID_ARGUMENT}. */
public final class UpkeepWire {
    private UpkeepWire() {}

    /** The request of a helper for work. */
    public static WorkRequest request(String helper, List<TaskResult> results, int room) {
        return WorkRequest.newBuilder()
                .setHelperId(helper)
                .addAllResults(results.stream().map(UpkeepWire::result).toList())
                .setRoom(room)
                .build();
    }

    private static io.cloudmw.proto.v1.TaskResult result(TaskResult result) {
        io.cloudmw.proto.v1.TaskResult.Builder message = io.cloudmw.proto.v1.TaskResult.newBuilder()
                .setNumber(result.task())
                .setError(result.failure().map(ErrorCode::name).orElse(""))
                .setMessage(result.message())
                .setBytes(result.bytes())
                .addAllFaults(result.faults().stream().map(ToWire::report).toList())
                .addAllListedChunkIds(result.listed().items().stream()
                        .map(chunk -> chunk.id().toString())
                        .toList())
                .addAllListedBytes(
                        result.listed().items().stream().map(StoredChunk::bytes).toList())
                .setListedAfter(result.listed().nextToken())
                .setBlamedStoreId(result.blamed().map(StoreId::value).orElse(""));
        result.made().ifPresent(chunk -> message.setMade(ToWire.chunk(chunk)));
        return message.build();
    }

    public static List<TaskResult> results(WorkRequest request) throws CloudMwException {
        List<TaskResult> results = new ArrayList<>();
        for (io.cloudmw.proto.v1.TaskResult message : request.getResultsList()) {
            results.add(FromWire.valid(() -> new TaskResult(
                    message.getNumber(),
                    message.getError().isEmpty()
                            ? Optional.empty()
                            : Optional.of(ErrorCode.valueOf(message.getError())),
                    message.getMessage(),
                    message.getBytes(),
                    FromWire.reports(message.getFaultsList()),
                    message.getBlamedStoreId().isEmpty()
                            ? Optional.empty()
                            : Optional.of(new StoreId(message.getBlamedStoreId())),
                    new Page<>(listed(message), message.getListedAfter()),
                    message.hasMade() ? Optional.of(FromWire.chunk(message.getMade())) : Optional.empty())));
        }
        return results;
    }

    /** The listed chunks; a helper of an earlier release sends no lengths, which count as 0. */
    private static List<StoredChunk> listed(io.cloudmw.proto.v1.TaskResult message) throws CloudMwException {
        List<ChunkId> ids = chunkIds(message.getListedChunkIdsList());
        boolean isMeasured = message.getListedBytesCount() == ids.size();
        List<StoredChunk> listed = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            listed.add(new StoredChunk(ids.get(i), isMeasured ? message.getListedBytes(i) : 0));
        }
        return listed;
    }

    public static WorkResponse handout(TaskBatch handout) {
        return WorkResponse.newBuilder()
                .addAllTasks(
                        handout.assignments().stream().map(UpkeepWire::task).toList())
                .addAllHelpers(handout.helpers().stream().map(ToWire::helper).toList())
                .setPauseMillis(handout.pause().toMillis())
                .setElsewhere(handout.elsewhere())
                .build();
    }

    private static io.cloudmw.proto.v1.Task task(TaskBatch.Assignment assignment) {
        Task task = assignment.task();
        io.cloudmw.proto.v1.Task.Builder message = io.cloudmw.proto.v1.Task.newBuilder()
                .setNumber(assignment.number())
                .setStore(store(task.store()))
                .setLifeMillis(assignment.life().toMillis());
        assignment.token().ifPresent(token -> message.setToken(ToWire.token(token)));
        if (task instanceof Task.OfCopy copy) {
            message.setChunk(ToWire.chunk(copy.chunk()))
                    .setVolume(copy.file().volume().value())
                    .setPath(copy.file().path());
        }
        if (task instanceof Task.Copy copy) {
            message.setCopy(CopyTask.newBuilder()
                    .addAllSources(
                            copy.sources().stream().map(UpkeepWire::store).toList()));
        } else if (task instanceof Task.Compact compact) {
            message.setCompact(compact(compact));
        } else if (task instanceof Task.Verify) {
            message.setVerify(VerifyTask.getDefaultInstance());
        } else if (task instanceof Task.Survey survey) {
            message.setSurvey(SurveyTask.newBuilder().setAfter(survey.after()));
        } else if (task instanceof Task.Look look) {
            message.setLook(LookTask.newBuilder()
                    .addAllChunkIds(
                            look.chunks().stream().map(ChunkId::toString).toList()));
        } else if (task instanceof Task.Delete delete) {
            message.setDelete(DeleteTask.newBuilder()
                    .addAllChunkIds(
                            delete.chunks().stream().map(ChunkId::toString).toList()));
        }
        return message.build();
    }

    private static CompactTask compact(Task.Compact task) {
        CompactTask.Builder message = CompactTask.newBuilder()
                .addAllSources(task.sources().stream().map(UpkeepWire::store).toList())
                .setPlace(BackupWire.message(task.place()));
        task.kept().forEach(range -> message.addKeptOffsets(range.offset()).addKeptLengths(range.length()));
        return message.build();
    }

    private static Task compact(io.cloudmw.proto.v1.Task message, Store store) throws CloudMwException {
        CompactTask compact = message.getCompact();
        Chunk chunk = FromWire.chunk(message.getChunk());
        FilePath file = file(message);
        List<Store> sources = stores(compact.getSourcesList());
        List<ByteRange> kept = BackupWire.ranges(compact.getKeptOffsetsList(), compact.getKeptLengthsList());
        PackRelocation place = BackupWire.relocation(compact.getPlace());
        return FromWire.valid(() -> new Task.Compact(chunk, store, file, sources, kept, place));
    }

    private static io.cloudmw.proto.v1.Store store(Store store) {
        return ToWire.store(new StoreStatus(store, true));
    }

    public static TaskBatch handout(WorkResponse message) throws CloudMwException {
        List<TaskBatch.Assignment> assignments = new ArrayList<>();
        List<Long> unknown = new ArrayList<>();
        for (io.cloudmw.proto.v1.Task task : message.getTasksList()) {
            Optional<Task> known = task(task);
            if (known.isPresent()) {
                assignments.add(new TaskBatch.Assignment(
                        task.getNumber(),
                        known.get(),
                        Duration.ofMillis(task.getLifeMillis()),
                        task.getToken().isEmpty()
                                ? Optional.empty()
                                : Optional.of(FromWire.token(task.getToken().toByteArray()))));
            } else {
                unknown.add(task.getNumber());
            }
        }
        return new TaskBatch(
                assignments,
                unknown,
                FromWire.helpers(message.getHelpersList()),
                Duration.ofMillis(message.getPauseMillis()),
                message.getElsewhere());
    }

    /** The task; empty when only newer releases know its kind. */
    private static Optional<Task> task(io.cloudmw.proto.v1.Task message) throws CloudMwException {
        Store store = FromWire.store(message.getStore());
        return switch (message.getKindCase()) {
            case COPY -> {
                List<Store> sources = stores(message.getCopy().getSourcesList());
                yield Optional.of(new Task.Copy(FromWire.chunk(message.getChunk()), store, file(message), sources, 0));
            }
            case VERIFY -> Optional.of(new Task.Verify(FromWire.chunk(message.getChunk()), store, file(message)));
            case SURVEY ->
                Optional.of(new Task.Survey(store, message.getSurvey().getAfter()));
            case DELETE ->
                Optional.of(FromWire.valid(() ->
                        new Task.Delete(store, chunkIds(message.getDelete().getChunkIdsList()))));
            case LOOK ->
                Optional.of(FromWire.valid(
                        () -> new Task.Look(store, chunkIds(message.getLook().getChunkIdsList()))));
            case COMPACT -> Optional.of(compact(message, store));
            case KIND_NOT_SET -> Optional.empty();
        };
    }

    private static FilePath file(io.cloudmw.proto.v1.Task message) throws CloudMwException {
        return FromWire.file(message.getVolume(), message.getPath());
    }

    private static List<ChunkId> chunkIds(List<String> ids) throws CloudMwException {
        return FromWire.valid(() -> ids.stream().map(ChunkId::parse).toList());
    }

    private static List<Store> stores(List<io.cloudmw.proto.v1.Store> messages) throws CloudMwException {
        return FromWire.stores(messages).stream().map(StoreStatus::store).toList();
    }

    public static DrainRequest order(DrainOrder order) {
        return DrainRequest.newBuilder()
                .addAllStoreIds(order.stores().stream().map(StoreId::value).toList())
                .setHelperId(order.helper().map(HelperId::value).orElse(""))
                .setEnd(!order.begins())
                .build();
    }

    public static DrainOrder order(DrainRequest message) throws CloudMwException {
        String helper = message.getHelperId();
        return new DrainOrder(
                storeIds(message.getStoreIdsList()),
                helper.isEmpty() ? Optional.empty() : Optional.of(FromWire.helperId(helper)),
                !message.getEnd());
    }

    public static DrainResponse drained(List<StoreId> stores) {
        return DrainResponse.newBuilder()
                .addAllStoreIds(stores.stream().map(StoreId::value).toList())
                .build();
    }

    public static List<StoreId> drained(DrainResponse message) throws CloudMwException {
        return storeIds(message.getStoreIdsList());
    }

    private static List<StoreId> storeIds(List<String> ids) throws CloudMwException {
        return FromWire.valid(() -> ids.stream().map(StoreId::new).toList());
    }

    public static GetStatusResponse status(UpkeepStatus status) {
        GetStatusResponse.Builder answer = GetStatusResponse.newBuilder()
                .addAllStores(status.stores().stream().map(UpkeepWire::fare).toList())
                .addAllHelpers(status.helpers().stream().map(ToWire::helper).toList())
                .setRepair(fare(status.repair()))
                .setScrub(fare(status.scrub()))
                .setCollect(fare(status.collect()))
                .setWaitingTasks(status.waitingTasks())
                .setGivenTasks(status.givenTasks());
        ReshapeWire.add(status.reshape(), answer);
        status.asked().map(UpkeepWire::fare).ifPresent(answer::setAsked);
        return answer.build();
    }

    private static StoreFare fare(StoreCondition store) {
        return StoreFare.newBuilder()
                .setStore(ToWire.store(new StoreStatus(store.candidate().store().shown(), store.available())))
                .setObstacle(store.candidate().obstacle())
                .setRoomBytes(store.roomBytes())
                .setReserveBytes(store.reserveBytes())
                .setAwayMillis(store.away().toMillis())
                .setLost(store.lost())
                .setDraining(store.draining())
                .build();
    }

    private static RepairFare fare(RepairProgress repair) {
        return RepairFare.newBuilder()
                .putAllUnderReplicated(repair.underReplicated())
                .putAllObstacles(RepairWire.obstacles(repair))
                .setNoHelper(repair.obstacles().getOrDefault(RepairObstacle.NO_HELPER, 0L))
                .addAllAwaitedHelpers(RepairWire.awaited(repair))
                .putAllLeft(repair.left().entrySet().stream()
                        .collect(Collectors.toMap(entry -> entry.getKey().value(), Map.Entry::getValue)))
                .putAllReplaced(repair.replaced().entrySet().stream()
                        .collect(Collectors.toMap(entry -> entry.getKey().value(), entry -> fare(entry.getValue()))))
                .setPasses(repair.passes())
                .setPassing(repair.passing())
                .setCopied(repair.copied())
                .setCopiedBytes(repair.copiedBytes())
                .setFailed(repair.failed())
                .setDropped(repair.dropped())
                .setCountAgeMillis(repair.countAgeMillis() + 1)
                .build();
    }

    private static ReplacedFare fare(ReplacedProgress replaced) {
        return ReplacedFare.newBuilder()
                .setReplacedAtMillis(replaced.replacedAtMillis())
                .setLooked(replaced.looked())
                .setMissing(replaced.missing())
                .setMade(replaced.made())
                .setLookedThrough(replaced.lookedThrough())
                .setComplete(replaced.complete())
                .build();
    }

    private static SortedMap<StoreId, ReplacedProgress> replaced(Map<String, ReplacedFare> messages)
            throws CloudMwException {
        SortedMap<StoreId, ReplacedProgress> replaced = new TreeMap<>();
        for (Map.Entry<String, ReplacedFare> store : messages.entrySet()) {
            ReplacedFare fare = store.getValue();
            replaced.put(
                    FromWire.valid(() -> new StoreId(store.getKey())),
                    new ReplacedProgress(
                            fare.getReplacedAtMillis(),
                            fare.getLooked(),
                            fare.getMissing(),
                            fare.getMade(),
                            fare.getLookedThrough(),
                            fare.getComplete()));
        }
        return replaced;
    }

    public static UpkeepStatus status(GetStatusResponse message) throws CloudMwException {
        List<StoreCondition> stores = new ArrayList<>();
        for (StoreFare fare : message.getStoresList()) {
            StoreStatus store = FromWire.storeStatus(fare.getStore());
            stores.add(new StoreCondition(
                    new StoreCandidate(store.store(), fare.getObstacle(), 1),
                    fare.getRoomBytes(),
                    store.available(),
                    Duration.ofMillis(fare.getAwayMillis()),
                    fare.getLost(),
                    fare.getDraining(),
                    fare.getReserveBytes()));
        }
        return new UpkeepStatus(
                stores,
                FromWire.helpers(message.getHelpersList()),
                repair(message.getRepair()),
                ReshapeWire.progress(message),
                scrub(message.getScrub()),
                collect(message.getCollect()),
                message.hasAsked() ? Optional.of(round(message.getAsked())) : Optional.empty(),
                message.getWaitingTasks(),
                message.getGivenTasks());
    }

    private static RepairProgress repair(RepairFare message) throws CloudMwException {
        SortedMap<StoreId, Long> left = new TreeMap<>();
        for (Map.Entry<String, Long> store : message.getLeftMap().entrySet()) {
            left.put(FromWire.valid(() -> new StoreId(store.getKey())), store.getValue());
        }
        return new RepairProgress(
                new TreeMap<>(message.getUnderReplicatedMap()),
                RepairWire.obstacles(message),
                left,
                replaced(message.getReplacedMap()),
                RepairWire.awaited(message),
                message.getPasses(),
                message.getPassing(),
                message.getCopied(),
                message.getCopiedBytes(),
                message.getFailed(),
                message.getDropped(),
                message.getCountAgeMillis() - 1);
    }

    private static ScrubFare fare(ScrubProgress scrub) {
        return ScrubFare.newBuilder()
                .setRounds(scrub.rounds())
                .setVerified(scrub.verified())
                .setVerifiedBytes(scrub.verifiedBytes())
                .setBad(scrub.bad())
                .setSkipped(scrub.skipped())
                .setBeganMillis(scrub.beganMillis())
                .setUnderWay(scrub.underWay())
                .build();
    }

    private static ScrubProgress scrub(ScrubFare message) {
        return new ScrubProgress(
                message.getRounds(),
                message.getVerified(),
                message.getVerifiedBytes(),
                message.getBad(),
                message.getSkipped(),
                message.getBeganMillis(),
                message.getUnderWay());
    }

    private static CollectFare fare(CollectProgress collect) {
        return CollectFare.newBuilder()
                .setRounds(collect.rounds())
                .setUnderWay(collect.underWay())
                .setNow(fare(collect.now()))
                .setLast(fare(collect.last()))
                .build();
    }

    private static CollectRoundFare fare(CollectRound round) {
        CollectFindings findings = round.findings();
        CollectCoverage coverage = round.coverage();
        return CollectRoundFare.newBuilder()
                .setDry(round.dry())
                .setBeganMillis(round.beganMillis())
                .setListed(findings.listed().copies())
                .setListedBytes(findings.listed().bytes())
                .setUnnamed(findings.unnamed().copies())
                .setUnnamedBytes(findings.unnamed().bytes())
                .setWaiting(findings.waiting().copies())
                .setWaitingBytes(findings.waiting().bytes())
                .setDeleted(round.deleted().copies())
                .setDeletedBytes(round.deleted().bytes())
                .setFailed(round.failed())
                .setForgotten(round.forgotten())
                .setCompacted(round.compacted().copies())
                .setCompactedBytes(round.compacted().bytes())
                .setUnknown(findings.unknown())
                .setStores(coverage.stores())
                .setStoresDone(coverage.storesDone())
                .setExpected(coverage.expected().copies())
                .setExpectedBytes(coverage.expected().bytes())
                .build();
    }

    private static CollectProgress collect(CollectFare message) {
        return new CollectProgress(
                message.getRounds(), message.getUnderWay(), round(message.getNow()), round(message.getLast()));
    }

    private static CollectRound round(CollectRoundFare message) {
        return new CollectRound(
                message.getDry(),
                message.getBeganMillis(),
                new CollectFindings(
                        new CopyTotal(message.getListed(), message.getListedBytes()),
                        new CopyTotal(message.getUnnamed(), message.getUnnamedBytes()),
                        new CopyTotal(message.getWaiting(), message.getWaitingBytes()),
                        message.getUnknown()),
                new CopyTotal(message.getDeleted(), message.getDeletedBytes()),
                message.getFailed(),
                message.getForgotten(),
                new CopyTotal(message.getCompacted(), message.getCompactedBytes()),
                new CollectCoverage(
                        message.getStores(),
                        message.getStoresDone(),
                        new CopyTotal(message.getExpected(), message.getExpectedBytes())));
    }

    /** The id of a client's order of a round of garbage collection; a random one when the message has none. */
    public static UUID order(CollectRequest message) throws CloudMwException {
        return message.getOrderId().isEmpty() ? UUID.randomUUID() : order(message.getOrderId());
    }

    public static UUID order(String id) throws CloudMwException {
        return FromWire.valid(() -> UUID.fromString(id));
    }

    public static OrderedRoundFare fare(OrderedRound round) {
        return OrderedRoundFare.newBuilder()
                .setRound(round.number())
                .setState(round.state().name())
                .setFound(fare(round.found()))
                .build();
    }

    public static OrderedRound ordered(OrderedRoundFare message) throws CloudMwException {
        return FromWire.valid(() -> new OrderedRound(
                message.getRound(), OrderedRound.State.valueOf(message.getState()), round(message.getFound())));
    }

    public static BeginRoundRequest begin(RoundProgress.Kind kind, RoundScope scope, boolean attended) {
        return BeginRoundRequest.newBuilder()
                .setKind(kind.name())
                .setVolume(scope.volume().map(VolumeName::value).orElse(""))
                .setStoreId(scope.store().map(StoreId::value).orElse(""))
                .setAttended(attended)
                .build();
    }

    public static RoundProgress.Kind kind(BeginRoundRequest message) throws CloudMwException {
        return FromWire.valid(() -> RoundProgress.Kind.valueOf(message.getKind()));
    }

    public static RoundScope scope(BeginRoundRequest message) throws CloudMwException {
        return FromWire.valid(() -> new RoundScope(
                message.getVolume().isEmpty() ? Optional.empty() : Optional.of(new VolumeName(message.getVolume())),
                message.getStoreId().isEmpty() ? Optional.empty() : Optional.of(new StoreId(message.getStoreId()))));
    }

    public static RoundFare fare(RoundProgress round) {
        return RoundFare.newBuilder()
                .setRound(round.number())
                .setKind(round.kind().name())
                .setState(round.state().name())
                .setLooked(round.looked())
                .setRead(round.read())
                .setReadBytes(round.readBytes())
                .setBad(round.bad())
                .setSkipped(round.skipped())
                .setRepaired(round.repaired())
                .setRepairedBytes(round.repairedBytes())
                .setLeft(round.left())
                .build();
    }

    public static RoundProgress round(RoundFare message) throws CloudMwException {
        return FromWire.valid(() -> new RoundProgress(
                RoundProgress.Kind.valueOf(message.getKind()),
                message.getRound(),
                RoundProgress.State.valueOf(message.getState()),
                message.getLooked(),
                message.getRead(),
                message.getReadBytes(),
                message.getBad(),
                message.getSkipped(),
                message.getRepaired(),
                message.getRepairedBytes(),
                message.getLeft()));
    }
}
