package io.cloudmw.cli.support;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The removal of secrets from texts: values of names that mean a secret, credentials in URLs, keys of AWS, private keys,
 * and everything that is known to be a secret on this machine. Immutable.
 */
final class SecretMask {
    /** The text in the place of a secret. */
    static final String MASKED = "<redacted>";

    /** A shorter value is too likely to be a word of something else. */
    private static final int LEAST_KNOWN = 8;

    private static final String NAMES =
            "secret|token|password|passwd|passphrase|credential|signature|access[-_.]?key|private[-_.]?key|api[-_.]?key"
                    + "|external[-_.]?id|cookie|authorization";

    private static final Pattern NAME = Pattern.compile("(?i)(" + NAMES + ")");

    /** Names of files and of times: their values are no secrets. */
    private static final Pattern HARMLESS = Pattern.compile("(?i)(file|dir|ttl|name|bucket|arn)$");

    /** The most characters of a name around the word that means a secret; without a limit, long texts take for ever. */
    private static final String PART = "[a-z0-9_.-]{0,64}";

    /** A name that means a secret, and its value: quoted, or up to the next space, comma, semicolon or ampersand. */
    private static final Pattern PAIR =
            Pattern.compile("(?i)([\"']?)(?<![a-z0-9_.-])(" + PART + "(?:" + NAMES + ")" + PART
                    + ")(\\1\\s{0,8}[=:]\\s{0,8})"
                    + "(\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+){0,100}+\"|'[^']*+'|(?:bearer |basic )?[^\\s,;&}\\])\"']++)");

    private static final Pattern URL_CREDENTIALS =
            Pattern.compile("(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}://)[^/\\s@]{1,512}@");
    private static final Pattern AWS_KEY = Pattern.compile("\\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\\b");
    private static final Pattern PRIVATE_KEY = Pattern.compile(
            "-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\\z)", Pattern.DOTALL);

    /** A line that is a key and nothing else, as in a file of keys. */
    private static final Pattern KEY_LINE = Pattern.compile("(?m)^[ \\t]{0,8}[0-9a-fA-F]{48,}+[ \\t\\r]{0,8}$");

    private final List<String> known;

    private SecretMask(List<String> known) {
        this.known = known;
    }

    /**
     * A mask that also knows the values of variables whose names mean a secret.
     *
     * @param more further secrets, like the lines of the cluster's secret file
     */
    static SecretMask of(Map<String, String> environment, List<String> more) {
        List<String> known = new ArrayList<>();
        environment.forEach((name, value) -> {
            if (isSecret(name)) {
                known.add(value);
            }
        });
        known.addAll(more);
        return new SecretMask(known.stream()
                .map(String::strip)
                .filter(secret -> secret.length() >= LEAST_KNOWN)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    private static boolean isSecret(String name) {
        return NAME.matcher(name).find() && !HARMLESS.matcher(name).find();
    }

    /** Returns the text without secrets. */
    String apply(String text) {
        String masked = text;
        for (String secret : known) {
            masked = masked.replace(secret, MASKED);
        }
        masked = PRIVATE_KEY.matcher(masked).replaceAll(MASKED);
        masked = KEY_LINE.matcher(masked).replaceAll(MASKED);
        masked = URL_CREDENTIALS.matcher(masked).replaceAll("$1" + MASKED + "@");
        masked = AWS_KEY.matcher(masked).replaceAll(MASKED);
        return PAIR.matcher(masked)
                .replaceAll(pair -> HARMLESS.matcher(pair.group(2)).find()
                        ? java.util.regex.Matcher.quoteReplacement(pair.group())
                        : java.util.regex.Matcher.quoteReplacement(
                                pair.group(1) + pair.group(2) + pair.group(3) + masked(pair.group(4))));
    }

    /** Keeps the quotes, so that JSON stays JSON. */
    private static String masked(String value) {
        char first = value.charAt(0);
        return first == '"' || first == '\'' ? first + MASKED + first : MASKED;
    }
}
