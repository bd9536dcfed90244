package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.AccessInfo;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Grant;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.SubjectInfo;
import io.cloudmw.core.grant.TokenInfo;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.proto.v1.ChangeGrantRequest;
import io.cloudmw.proto.v1.ChangeRoleRequest;
import io.cloudmw.proto.v1.CreateTokenRequest;
import io.cloudmw.proto.v1.GrantsGrpc;
import io.cloudmw.proto.v1.ListSubjectsRequest;
import io.cloudmw.proto.v1.RevokeTokenRequest;
import io.cloudmw.proto.v1.SubjectGrant;
import io.cloudmw.proto.v1.SubjectRecord;
import io.cloudmw.proto.v1.SubjectToken;
import io.cloudmw.proto.v1.WhoAmIRequest;
import io.cloudmw.proto.v1.WhoAmIResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The calls about subjects. Futures fail as those of {@link CoordinatorClient} do. Safe for any thread. */
public final class GrantCalls {
    private final CoordinatorClient coordinator;

    GrantCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Asks who the caller is. */
    public CompletableFuture<AccessInfo> whoAmI() {
        return coordinator.call(GrantsGrpc.getWhoAmIMethod(), WhoAmIRequest.getDefaultInstance(), GrantCalls::access);
    }

    /** Replaces the rights of a subject in a scope. */
    public CompletableFuture<SubjectInfo> grant(String subject, GrantScope scope, Set<Right> rights) {
        ChangeGrantRequest request = ChangeGrantRequest.newBuilder()
                .setSubject(subject)
                .setGrant(SubjectGrant.newBuilder()
                        .setVolume(scope.volume().value())
                        .setPrefix(scope.prefix())
                        .addAllRights(rights.stream().sorted().map(Right::word).toList()))
                .build();
        return coordinator.call(GrantsGrpc.getChangeGrantMethod(), request, answer -> subject(answer.getSubject()));
    }

    /** Replaces the role of a subject; empty: it has none. */
    public CompletableFuture<SubjectInfo> role(String subject, Optional<ClusterRole> role) {
        ChangeRoleRequest request = ChangeRoleRequest.newBuilder()
                .setSubject(subject)
                .setRole(role.map(ClusterRole::word).orElse(""))
                .build();
        return coordinator.call(GrantsGrpc.getChangeRoleMethod(), request, answer -> subject(answer.getSubject()));
    }

    /** Lists the subjects with rights in a volume; empty: all. */
    public CompletableFuture<List<SubjectInfo>> list(Optional<VolumeName> volume) {
        ListSubjectsRequest request = ListSubjectsRequest.newBuilder()
                .setVolume(volume.map(VolumeName::value).orElse(""))
                .build();
        return coordinator.call(
                GrantsGrpc.getListSubjectsMethod(),
                request,
                answer -> CoordinatorClient.all(answer.getSubjectsList(), GrantCalls::subject));
    }

    /** Records a token. */
    public CompletableFuture<TokenInfo> createToken(String subject, String sha256, Optional<Duration> life) {
        CreateTokenRequest request = CreateTokenRequest.newBuilder()
                .setSubject(subject)
                .setSha256(sha256)
                .setLifeMillis(life.map(Duration::toMillis).orElse(0L))
                .build();
        return coordinator.call(GrantsGrpc.getCreateTokenMethod(), request, answer -> token(answer.getToken()));
    }

    /** Ends a token; without an id all of the subject. */
    public CompletableFuture<SubjectInfo> revokeToken(String subject, Optional<String> id) {
        RevokeTokenRequest request = RevokeTokenRequest.newBuilder()
                .setSubject(subject)
                .setId(id.orElse(""))
                .build();
        return coordinator.call(GrantsGrpc.getRevokeTokenMethod(), request, answer -> subject(answer.getSubject()));
    }

    private static AccessInfo access(WhoAmIResponse answer) throws CloudMwException {
        return new AccessInfo(
                answer.getCluster(),
                answer.hasSubject() ? Optional.of(subject(answer.getSubject())) : Optional.empty(),
                answer.getAuthority().isEmpty() ? Optional.empty() : Optional.of(answer.getAuthority()));
    }

    private static SubjectInfo subject(SubjectRecord message) throws CloudMwException {
        try {
            return new SubjectInfo(
                    message.getName(),
                    message.getRole().isEmpty() ? Optional.empty() : Optional.of(ClusterRole.parse(message.getRole())),
                    message.getGrantsList().stream().map(GrantCalls::grant).toList(),
                    message.getTokensList().stream().map(GrantCalls::token).toList());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "coordinator: " + e.getMessage(), e);
        }
    }

    private static Grant grant(SubjectGrant message) {
        return new Grant(
                new GrantScope(new VolumeName(message.getVolume()), message.getPrefix()),
                message.getRightsList().stream().map(Right::parse).collect(Collectors.toSet()));
    }

    private static TokenInfo token(SubjectToken message) {
        return new TokenInfo(
                message.getId(),
                message.getCreatedMillis(),
                message.getExpiresMillis() == 0 ? OptionalLong.empty() : OptionalLong.of(message.getExpiresMillis()));
    }
}
