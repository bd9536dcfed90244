package io.cloudmw.core.rpc;

import org.jspecify.annotations.Nullable;

/** The name of a process in the {@code user-agent} header, for the logs of servers. No decision depends on it. */
public final class UserAgent {
    private static final int MAX_USER_CHARACTERS = 40;

    private UserAgent() {}

    /**
     * {@code program/version (user)}, as far as they are known.
     *
     * @param program letters, digits and hyphens
     */
    public static String of(String program) {
        @Nullable String version = UserAgent.class.getPackage().getImplementationVersion();
        return of(program, version == null ? "" : version, System.getProperty("user.name", ""));
    }

    static String of(String program, String version, String user) {
        String plain = user.replaceAll("[^A-Za-z0-9._@-]", "?");
        String cut = plain.length() <= MAX_USER_CHARACTERS ? plain : plain.substring(0, MAX_USER_CHARACTERS);
        return program + (version.isEmpty() ? "" : "/" + version) + (cut.isEmpty() ? "" : " (" + cut + ")");
    }
}
