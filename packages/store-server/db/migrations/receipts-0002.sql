CREATE INDEX receipt_return_claimed ON receipt_return (store, lane) WHERE state = 'claimed';
