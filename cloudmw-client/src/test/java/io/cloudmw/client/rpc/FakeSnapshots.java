package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.ListInRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StatInRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A service that snapshots the names of all volumes. Safe for any thread. */
public final class FakeSnapshots extends SnapshotsGrpc.SnapshotsImplBase {
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);
    private final Map<String, Map<FilePath, FileVersion>> kept = new ConcurrentHashMap<>();
    private final Map<FilePath, FileVersion> files;

    FakeSnapshots(Map<FilePath, FileVersion> files) {
        this.files = files;
    }

    /** Takes a snapshot. */
    public void take(String name) {
        kept.put(name, Map.copyOf(files));
    }

    Optional<FileVersion> find(String version) {
        return kept.values().stream()
                .flatMap(names -> names.values().stream())
                .filter(one -> one.id().value().equals(version))
                .findFirst();
    }

    private Map<FilePath, FileVersion> in(String name) throws CloudMwException {
        return Optional.ofNullable(kept.get(name))
                .orElseThrow(() -> new CloudMwException(ErrorCode.NOT_FOUND, "no snapshot " + name));
    }

    @Override
    public void statIn(StatInRequest request, StreamObserver<StatResponse> observer) {
        calls.answer(observer, () -> {
            FilePath file =
                    FromWire.file(request.getOf().getVolume(), request.getOf().getPath());
            FileVersion found = in(request.getSnapshot()).get(file);
            if (found == null) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, file + ": not in the snapshot");
            }
            return StatResponse.newBuilder().setVersion(ToWire.version(found)).build();
        });
    }

    @Override
    public void listIn(ListInRequest request, StreamObserver<ListResponse> observer) {
        calls.answer(observer, () -> FakeListing.page(in(request.getSnapshot()).values(), request.getOf(), 1000));
    }
}
