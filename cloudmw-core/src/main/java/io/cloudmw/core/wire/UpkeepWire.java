package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.placement.Candidate;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.upkeep.task.Handout;
import io.cloudmw.core.upkeep.task.Obstacle;
import io.cloudmw.core.upkeep.task.RepairProgress;
import io.cloudmw.core.upkeep.task.StoreCondition;
import io.cloudmw.core.upkeep.task.Task;
import io.cloudmw.core.upkeep.task.TaskResult;
import io.cloudmw.core.upkeep.task.UpkeepStatus;
import io.cloudmw.proto.v1.CopyTask;
import io.cloudmw.proto.v1.GetStatusResponse;
import io.cloudmw.proto.v1.RepairFare;
import io.cloudmw.proto.v1.StoreFare;
import io.cloudmw.proto.v1.WorkRequest;
import io.cloudmw.proto.v1.WorkResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What upkeep sends, there and back. What is not well formed fails with {@code INVALID_ARGUMENT}. */
public final class UpkeepWire {
    private UpkeepWire() {}

    /** A helper's request. */
    public static WorkRequest request(String helper, List<TaskResult> results, int room) {
        return WorkRequest.newBuilder()
                .setHelperId(helper)
                .addAllResults(results.stream().map(UpkeepWire::result).toList())
                .setRoom(room)
                .build();
    }

    private static io.cloudmw.proto.v1.TaskResult result(TaskResult result) {
        return io.cloudmw.proto.v1.TaskResult.newBuilder()
                .setNumber(result.task())
                .setError(result.failure().map(ErrorCode::name).orElse(""))
                .setMessage(result.message())
                .setBytes(result.bytes())
                .addAllFaults(result.faults().stream().map(ToWire::report).toList())
                .build();
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
                    FromWire.reports(message.getFaultsList()))));
        }
        return results;
    }

    public static WorkResponse handout(Handout handout) {
        return WorkResponse.newBuilder()
                .addAllTasks(
                        handout.assignments().stream().map(UpkeepWire::task).toList())
                .addAllHelpers(handout.helpers().stream().map(ToWire::helper).toList())
                .setPauseMillis(handout.pause().toMillis())
                .setElsewhere(handout.elsewhere())
                .build();
    }

    private static io.cloudmw.proto.v1.Task task(Handout.Assignment assignment) {
        Task task = assignment.task();
        io.cloudmw.proto.v1.Task.Builder message = io.cloudmw.proto.v1.Task.newBuilder()
                .setNumber(assignment.number())
                .setChunk(ToWire.chunk(task.chunk()))
                .setStore(store(task.store()))
                .setVolume(task.file().volume().value())
                .setPath(task.file().path())
                .setToken(ToWire.token(assignment.token()))
                .setLifeMillis(assignment.life().toMillis());
        if (task instanceof Task.Copy copy) {
            message.setCopy(CopyTask.newBuilder()
                    .addAllSources(
                            copy.sources().stream().map(UpkeepWire::store).toList()));
        }
        return message.build();
    }

    private static io.cloudmw.proto.v1.Store store(Store store) {
        return ToWire.store(new StoreStatus(store, true));
    }

    public static Handout handout(WorkResponse message) throws CloudMwException {
        List<Handout.Assignment> assignments = new ArrayList<>();
        for (io.cloudmw.proto.v1.Task task : message.getTasksList()) {
            assignments.add(new Handout.Assignment(
                    task.getNumber(),
                    task(task),
                    Duration.ofMillis(task.getLifeMillis()),
                    FromWire.token(task.getToken().toByteArray())));
        }
        return new Handout(
                assignments,
                FromWire.helpers(message.getHelpersList()),
                Duration.ofMillis(message.getPauseMillis()),
                message.getElsewhere());
    }

    private static Task task(io.cloudmw.proto.v1.Task message) throws CloudMwException {
        Chunk chunk = FromWire.chunk(message.getChunk());
        Store store = FromWire.store(message.getStore());
        FilePath file = FromWire.file(message.getVolume(), message.getPath());
        return switch (message.getKindCase()) {
            case COPY ->
                new Task.Copy(chunk, store, file, stores(message.getCopy().getSourcesList()), 0);
            case KIND_NOT_SET -> throw FromWire.invalid("task " + message.getNumber() + ": of a kind unknown here");
        };
    }

    private static List<Store> stores(List<io.cloudmw.proto.v1.Store> messages) throws CloudMwException {
        return FromWire.stores(messages).stream().map(StoreStatus::store).toList();
    }

    public static GetStatusResponse status(UpkeepStatus status) {
        return GetStatusResponse.newBuilder()
                .addAllStores(status.stores().stream().map(UpkeepWire::fare).toList())
                .addAllHelpers(status.helpers().stream().map(ToWire::helper).toList())
                .setRepair(fare(status.repair()))
                .setWaitingTasks(status.waitingTasks())
                .setGivenTasks(status.givenTasks())
                .build();
    }

    private static StoreFare fare(StoreCondition store) {
        return StoreFare.newBuilder()
                .setStore(ToWire.store(new StoreStatus(store.candidate().store(), store.available())))
                .setObstacle(store.candidate().obstacle())
                .setRoomBytes(store.roomBytes())
                .setAwayMillis(store.away().toMillis())
                .setLost(store.lost())
                .build();
    }

    private static RepairFare fare(RepairProgress repair) {
        return RepairFare.newBuilder()
                .putAllUnderReplicated(repair.underReplicated())
                .putAllObstacles(repair.obstacles().entrySet().stream()
                        .collect(Collectors.toMap(entry -> entry.getKey().name(), Map.Entry::getValue)))
                .setPasses(repair.passes())
                .setPassing(repair.passing())
                .setCopied(repair.copied())
                .setCopiedBytes(repair.copiedBytes())
                .setFailed(repair.failed())
                .setDropped(repair.dropped())
                .build();
    }

    public static UpkeepStatus status(GetStatusResponse message) throws CloudMwException {
        List<StoreCondition> stores = new ArrayList<>();
        for (StoreFare fare : message.getStoresList()) {
            StoreStatus store = FromWire.storeStatus(fare.getStore());
            stores.add(new StoreCondition(
                    new Candidate(store.store(), fare.getObstacle(), 1),
                    fare.getRoomBytes(),
                    store.available(),
                    Duration.ofMillis(fare.getAwayMillis()),
                    fare.getLost()));
        }
        return new UpkeepStatus(
                stores,
                FromWire.helpers(message.getHelpersList()),
                repair(message.getRepair()),
                message.getWaitingTasks(),
                message.getGivenTasks());
    }

    private static RepairProgress repair(RepairFare message) throws CloudMwException {
        Map<Obstacle, Long> obstacles = new EnumMap<>(Obstacle.class);
        for (Map.Entry<String, Long> obstacle : message.getObstaclesMap().entrySet()) {
            obstacles.put(FromWire.valid(() -> Obstacle.valueOf(obstacle.getKey())), obstacle.getValue());
        }
        return new RepairProgress(
                new TreeMap<>(message.getUnderReplicatedMap()),
                obstacles,
                message.getPasses(),
                message.getPassing(),
                message.getCopied(),
                message.getCopiedBytes(),
                message.getFailed(),
                message.getDropped());
    }
}
