package io.cloudmw.cli.subject;

import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Grant;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.SubjectInfo;
import io.cloudmw.core.grant.TokenInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The lines and JSON objects of subjects. */
final class SubjectReport {
    private SubjectReport() {}

    /** The lines of a subject: one for its role, one for each grant. */
    static List<String> lines(SubjectInfo subject) {
        List<String> lines = new ArrayList<>();
        subject.role().ifPresent(role -> lines.add(String.format("%-24s role %s", subject.name(), role.word())));
        for (Grant grant : subject.grants()) {
            lines.add(String.format("%-24s %s %s", subject.name(), grant.scope().describe(), rights(grant)));
        }
        if (lines.isEmpty()) {
            lines.add(String.format("%-24s no rights", subject.name()));
        }
        return lines;
    }

    private static String rights(Grant grant) {
        return grant.rights().stream().sorted().map(Right::word).collect(Collectors.joining(","));
    }

    /** The line of a token. */
    static String line(TokenInfo token) {
        return String.format(
                "%s  made %s, %s",
                token.id(),
                Instant.ofEpochMilli(token.createdMillis()),
                token.expiresMillis().isPresent()
                        ? "ends " + Instant.ofEpochMilli(token.expiresMillis().getAsLong())
                        : "never ends");
    }

    static Map<String, Object> json(SubjectInfo subject) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", subject.name());
        object.put("role", subject.role().map(ClusterRole::word).orElse(""));
        object.put(
                "grants",
                subject.grants().stream()
                        .map(grant -> Map.of(
                                "volume", grant.scope().volume().value(),
                                "path", grant.scope().prefix(),
                                "rights",
                                        grant.rights().stream()
                                                .sorted()
                                                .map(Right::word)
                                                .toList()))
                        .toList());
        object.put("tokens", subject.tokens().stream().map(SubjectReport::json).toList());
        return object;
    }

    private static Map<String, Object> json(TokenInfo token) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", token.id());
        object.put("created_at_millis", token.createdMillis());
        token.expiresMillis().ifPresent(millis -> object.put("expires_at_millis", millis));
        return object;
    }
}
