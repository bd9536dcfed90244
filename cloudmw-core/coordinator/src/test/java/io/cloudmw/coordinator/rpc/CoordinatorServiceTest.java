package io.cloudmw.coordinator.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.SigningSources;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.grant.KnownSubjects;
import io.cloudmw.coordinator.grant.Subjects;
import io.cloudmw.coordinator.rpc.authorization.CallerAccess;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.ListVolumesResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

final class CoordinatorServiceTest {
    /** A pool all of whose threads wait for a stalled catalog. */
    private static final Executor STALLED = task -> {};

    /** An observer that keeps its answers and throws failures. */
    private static final class Answers<A> implements StreamObserver<A> {
        private final List<A> all = new ArrayList<>();

        @Override
        public void onNext(A answer) {
            all.add(answer);
        }

        @Override
        public void onError(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onCompleted() {}
    }

    @Test
    void heartbeatsAreHandledWhileAllOtherCallsWait() {
        try (InMemoryCatalog catalog = new InMemoryCatalog()) {
            Coordinator coordinator = new Coordinator(
                    "test",
                    catalog,
                    new TransferTokens(ClusterSecret.of(new byte[32]), WallClock.system()),
                    SigningSources.of(BucketAccess.none()),
                    CoordinatorOptions.defaults(),
                    Ticker.system(),
                    WallClock.system());
            KnownSubjects known = new KnownSubjects(catalog.subjects(), Ticker.system());
            Authorizer authorizer = new Authorizer(known, WallClock.system());
            CoordinatorService service = new CoordinatorService(
                    coordinator,
                    unproven -> Map.of(),
                    new CallerAccess(
                            authorizer,
                            new Subjects(catalog.subjects(), known, authorizer, WallClock.system()),
                            catalog),
                    false,
                    new UnaryCalls(STALLED),
                    new UnaryCalls(Runnable::run));
            Answers<ListVolumesResponse> listed = new Answers<>();
            service.listVolumes(ListVolumesRequest.getDefaultInstance(), listed);
            Answers<RegisterHelperResponse> registered = new Answers<>();
            HelperAddress helper = new HelperAddress(new HelperId("h"), "localhost:1", "localhost:2");
            service.registerHelper(
                    RegisterHelperRequest.newBuilder()
                            .setHelper(ToWire.helper(helper))
                            .setIncarnation(1)
                            .build(),
                    registered);
            assertThat(registered.all).hasSize(1);
            Answers<HeartbeatResponse> heard = new Answers<>();
            service.heartbeat(
                    HeartbeatRequest.newBuilder()
                            .setHelperId("h")
                            .setEpoch(registered.all.get(0).getEpoch())
                            .build(),
                    heard);
            assertThat(heard.all).hasSize(1);
            assertThat(listed.all).isEmpty();
        }
    }
}
