-- What each lane has claimed and not told the end of.
CREATE INDEX receipt_return_claimed ON receipt_return (store, lane) WHERE state = 'claimed';
