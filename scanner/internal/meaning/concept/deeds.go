package concept

const Deeds = Send | Read | Include | Call | Change | Pay | Destroy
