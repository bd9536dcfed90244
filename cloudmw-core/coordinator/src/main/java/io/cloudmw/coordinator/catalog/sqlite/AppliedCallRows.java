package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The rows of answered calls, one for each. Safe for any thread. */
final class AppliedCallRows implements AppliedCalls {
    private final SqliteDatabase database;

    AppliedCallRows(SqliteDatabase database) {
        this.database = database;
    }

    /** Makes a change, unless an earlier attempt of the same call was answered. A refusal is an answer, too. */
    <T> T once(ChangeRequest request, StoredAnswer<T> form, SqliteDatabase.Work<T> change) throws CloudMwException {
        if (request.call().isEmpty()) {
            return database.write(change);
        }
        CallId call = request.call().get();
        try {
            return database.write(connection -> {
                Optional<T> answered = answer(connection, call, form);
                if (answered.isPresent()) {
                    return answered.get();
                }
                request.requireFresh();
                T answer = change.run(connection);
                keep(connection, call, form.encode(answer), "");
                return answer;
            });
        } catch (CloudMwException e) {
            if (!RefusedCall.is(e)) {
                throw e;
            }
            Optional<T> answered = database.write(connection -> refuse(connection, request, call, form, e));
            return answered.orElseThrow(() -> e);
        }
    }

    /** Records a refusal, unless another attempt was answered first; then returns that answer. */
    private static <T> Optional<T> refuse(
            Connection connection, ChangeRequest request, CallId call, StoredAnswer<T> form, CloudMwException refusal)
            throws SQLException, CloudMwException {
        Optional<T> answered = answer(connection, call, form);
        if (answered.isEmpty()) {
            request.requireFresh();
            keep(connection, call, new byte[0], RefusedCall.encode(refusal));
        }
        return answered;
    }

    private static void keep(Connection connection, CallId call, byte[] answer, String refusal) throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO applied_calls (issued_at, id, answer, refusal) VALUES (?, ?, ?, ?)",
                call.issuedAtMillis(),
                call.id().toString(),
                answer,
                refusal);
    }

    private static <T> Optional<T> answer(Connection connection, CallId call, StoredAnswer<T> form)
            throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> {
                    String refusal = row.getString(2);
                    if (!refusal.isEmpty()) {
                        throw RefusedCall.decode(refusal);
                    }
                    return form.decode(row.getBytes(1));
                },
                "SELECT answer, refusal FROM applied_calls WHERE issued_at = ? AND id = ?",
                call.issuedAtMillis(),
                call.id().toString());
    }

    @Override
    public int prune(long issuedBeforeMillis) throws CloudMwException {
        return database.write(connection -> Sql.update(
                connection,
                "DELETE FROM applied_calls WHERE (issued_at, id) IN (SELECT issued_at, id FROM applied_calls"
                        + " WHERE issued_at < ? ORDER BY issued_at, id LIMIT ?)",
                issuedBeforeMillis,
                PRUNE_BATCH));
    }
}
