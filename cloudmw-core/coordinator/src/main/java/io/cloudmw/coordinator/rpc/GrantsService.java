package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.grant.Subjects;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.grant.TokenRecord;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.ChangeGrantRequest;
import io.cloudmw.proto.v1.ChangeGrantResponse;
import io.cloudmw.proto.v1.ChangeRoleRequest;
import io.cloudmw.proto.v1.ChangeRoleResponse;
import io.cloudmw.proto.v1.CreateTokenRequest;
import io.cloudmw.proto.v1.CreateTokenResponse;
import io.cloudmw.proto.v1.GrantsGrpc;
import io.cloudmw.proto.v1.ListSubjectsRequest;
import io.cloudmw.proto.v1.ListSubjectsResponse;
import io.cloudmw.proto.v1.RevokeTokenRequest;
import io.cloudmw.proto.v1.RevokeTokenResponse;
import io.cloudmw.proto.v1.SubjectGrant;
import io.cloudmw.proto.v1.SubjectRecord;
import io.cloudmw.proto.v1.SubjectToken;
import io.cloudmw.proto.v1.WhoAmIRequest;
import io.cloudmw.proto.v1.WhoAmIResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The gRPC service of subjects, their rights and their tokens. */
public final class GrantsService extends GrantsGrpc.GrantsImplBase {
    private final Subjects subjects;
    private final Supplier<Optional<String>> authority;
    private final UnaryCalls calls;

    /** @param authority the fingerprint of the cluster's own authority; empty: it has none */
    public GrantsService(Subjects subjects, Supplier<Optional<String>> authority, UnaryCalls calls) {
        this.subjects = subjects;
        this.authority = authority;
        this.calls = calls;
    }

    @Override
    public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> answers) {
        calls.answer(answers, () -> {
            WhoAmIResponse.Builder answer =
                    WhoAmIResponse.newBuilder().setAuthority(authority.get().orElse(""));
            Optional<ProcessIdentity> caller = CallerIdentity.current();
            if (caller.isPresent()) {
                answer.setCluster(caller.get().cluster()).setSubject(message(subjects.caller(caller.get())));
            }
            return answer.build();
        });
    }

    /** A request that is being read. */
    private interface Reading<A> {
        UnaryCalls.Work<A> work() throws CloudMwException;
    }

    /**
     * Reads a request, then does the work that it asks for. A request that cannot be read fails before: it is no attempt
     * at a change, because the work alone checks what its caller may do.
     */
    private <A> void answer(StreamObserver<A> answers, Reading<A> reading) {
        UnaryCalls.Work<A> work;
        try {
            work = reading.work();
        } catch (CloudMwException e) {
            answers.onError(RpcErrors.toStatus(e));
            return;
        }
        calls.answer(answers, work);
    }

    @Override
    public void changeGrant(ChangeGrantRequest request, StreamObserver<ChangeGrantResponse> answers) {
        answer(answers, () -> {
            GrantScope scope = FromWire.valid(() -> new GrantScope(
                    new VolumeName(request.getGrant().getVolume()),
                    request.getGrant().getPrefix()));
            Set<Right> rights = FromWire.valid(() -> request.getGrant().getRightsList().stream()
                    .map(Right::parse)
                    .collect(Collectors.toSet()));
            return () -> {
                Subject changed = subjects.grant(CallerIdentity.current(), request.getSubject(), scope, rights);
                return ChangeGrantResponse.newBuilder()
                        .setSubject(message(changed))
                        .build();
            };
        });
    }

    @Override
    public void changeRole(ChangeRoleRequest request, StreamObserver<ChangeRoleResponse> answers) {
        answer(answers, () -> {
            Optional<ClusterRole> role = request.getRole().isEmpty()
                    ? Optional.empty()
                    : Optional.of(FromWire.valid(() -> ClusterRole.parse(request.getRole())));
            return () -> {
                Subject changed = subjects.role(CallerIdentity.current(), request.getSubject(), role);
                return ChangeRoleResponse.newBuilder()
                        .setSubject(message(changed))
                        .build();
            };
        });
    }

    @Override
    public void listSubjects(ListSubjectsRequest request, StreamObserver<ListSubjectsResponse> answers) {
        calls.answer(answers, () -> {
            Optional<VolumeName> volume = request.getVolume().isEmpty()
                    ? Optional.empty()
                    : Optional.of(FromWire.volumeName(request.getVolume()));
            ListSubjectsResponse.Builder answer = ListSubjectsResponse.newBuilder();
            subjects.list(CallerIdentity.current(), volume).forEach(subject -> answer.addSubjects(message(subject)));
            return answer.build();
        });
    }

    @Override
    public void createToken(CreateTokenRequest request, StreamObserver<CreateTokenResponse> answers) {
        calls.answer(answers, () -> {
            Optional<Duration> life = request.getLifeMillis() <= 0
                    ? Optional.empty()
                    : Optional.of(Duration.ofMillis(request.getLifeMillis()));
            TokenRecord token =
                    subjects.addToken(CallerIdentity.current(), request.getSubject(), request.getSha256(), life);
            return CreateTokenResponse.newBuilder().setToken(message(token)).build();
        });
    }

    @Override
    public void revokeToken(RevokeTokenRequest request, StreamObserver<RevokeTokenResponse> answers) {
        calls.answer(answers, () -> {
            Optional<String> id = request.getId().isEmpty() ? Optional.empty() : Optional.of(request.getId());
            Subject changed = subjects.revokeToken(CallerIdentity.current(), request.getSubject(), id);
            return RevokeTokenResponse.newBuilder().setSubject(message(changed)).build();
        });
    }

    private static SubjectRecord message(Subject subject) {
        SubjectRecord.Builder message = SubjectRecord.newBuilder()
                .setName(subject.name())
                .setRole(subject.role().map(ClusterRole::word).orElse(""));
        subject.grants()
                .forEach(grant -> message.addGrants(SubjectGrant.newBuilder()
                        .setVolume(grant.scope().volume().value())
                        .setPrefix(grant.scope().prefix())
                        .addAllRights(grant.rights().stream()
                                .sorted()
                                .map(Right::word)
                                .toList())));
        subject.tokens().forEach(token -> message.addTokens(message(token)));
        return message.build();
    }

    private static SubjectToken message(TokenRecord token) {
        return SubjectToken.newBuilder()
                .setId(token.id())
                .setCreatedMillis(token.createdMillis())
                .setExpiresMillis(token.expiresMillis().orElse(0))
                .build();
    }
}
